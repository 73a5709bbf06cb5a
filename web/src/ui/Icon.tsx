import styles from "./Icon.module.css";

// Drawn on a 24 px grid with a stroke of 1.75.
const paths = {
  arrowLeft: "M19 12H5m6-6-6 6 6 6",
  arrowRight: "M5 12h14m-6-6 6 6-6 6",
  book: "M5 4.5h11a3 3 0 0 1 3 3v12H8a3 3 0 0 1-3-3zM5 16.5a3 3 0 0 1 3-3h11M9 8h6",
  branch:
    "M7 8v8m0-8a2 2 0 1 0 0-4 2 2 0 0 0 0 4Zm0 8a2 2 0 1 0 0 4 2 2 0 0 0 0-4Zm10-6a2 2 0 1 0 0-4 2 2 0 0 0 0 4Zm0 0c0 4-4 4.5-8.5 6.5",
  calendar: "M5 6.5h14v13H5zM5 11h14M9 4v4m6-4v4",
  check: "m5 12.5 4.5 4.5L19 7.5",
  chevronDown: "m6 9.5 6 6 6-6",
  close: "m6 6 12 12M18 6 6 18",
  copy: "M9 9h11v11H9zM15 9V4H4v11h5",
  cube: "m12 3.5 7.5 4.25v8.5L12 20.5l-7.5-4.25v-8.5zm0 8.5 7.5-4.25M12 12v8.5M12 12 4.5 7.75",
  database:
    "M5 6.5c0-1.66 3.13-3 7-3s7 1.34 7 3-3.13 3-7 3-7-1.34-7-3Zm0 0v11c0 1.66 3.13 3 7 3s7-1.34 7-3v-11M5 12c0 1.66 3.13 3 7 3s7-1.34 7-3",
  download: "M12 4v11.5m-4.5-4.5 4.5 4.5 4.5-4.5M5 19.5h14",
  edit: "M5 19h3.5L19 8.5 15.5 5 5 15.5zM13 7.5l3.5 3.5",
  error: "M12 8v5m0 3.5v.01M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17Z",
  external: "M13.5 5H19v5.5M19 5l-8 8M10 6H5v13h13v-5",
  eyeOff:
    "m4 4 16 16M9.9 5.8A9.6 9.6 0 0 1 12 5.5c5 0 8.5 4.5 9 6.5a11 11 0 0 1-2.7 3.9M6.5 7.6C4.3 9 3.2 11 3 12c.5 2 4 6.5 9 6.5a9.5 9.5 0 0 0 4-.9M9.9 9.9a3 3 0 0 0 4.2 4.2",
  eye: "M3 12c.5-2 4-6.5 9-6.5s8.5 4.5 9 6.5c-.5 2-4 6.5-9 6.5S3.5 14 3 12Zm9 2.75a2.75 2.75 0 1 0 0-5.5 2.75 2.75 0 0 0 0 5.5Z",
  file: "M6 3.5h8l4 4v13H6zM14 3.5v4h4",
  folder: "M4 6.5h5.5l2 2.5H20v9.5H4z",
  info: "M12 11v5.5M12 7.5v.01M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17Z",
  link: "M10 14.5a4 4 0 0 0 5.7 0l3.2-3.2a4 4 0 0 0-5.7-5.7l-1.2 1.2M14 9.5a4 4 0 0 0-5.7 0l-3.2 3.2a4 4 0 0 0 5.7 5.7l1.2-1.2",
  lock: "M6.5 11h11v9h-11zm2-0V8a3.5 3.5 0 0 1 7 0v3",
  menu: "M4 7h16M4 12h16M4 17h16",
  more: "M12 5.5v.01M12 12v.01M12 18.5v.01",
  notEqual: "M5 9.5h14M5 14.5h14M15.5 5l-7 14",
  offline: "m4 4 16 16M8.5 8.2A6 6 0 0 0 6.2 11 4 4 0 0 0 7 19h10.5M10.5 6.2A6 6 0 0 1 17.8 11a4 4 0 0 1 3 5.5",
  people:
    "M9.5 11.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7Zm-6 8c0-3.3 2.7-5.5 6-5.5s6 2.2 6 5.5M16 5a3.2 3.2 0 0 1 0 6.2M17.5 14.3c2 .7 3.2 2.7 3.2 5.2",
  place:
    "M12 20.5c4.5-5 6.5-8 6.5-10.7a6.5 6.5 0 0 0-13 0c0 2.7 2 5.7 6.5 10.7Zm0-8.5a2.3 2.3 0 1 0 0-4.6 2.3 2.3 0 0 0 0 4.6Z",
  play: "M8 5.5v13l10.5-6.5z",
  plus: "M12 5v14M5 12h14",
  quote: "M10 7c-3 .5-4.5 2.5-4.5 5.5V17H10v-4.5H7.5M18.5 7c-3 .5-4.5 2.5-4.5 5.5V17h4.5v-4.5H16",
  search: "m20 20-4.6-4.6M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13Z",
  signOut: "M10 5H5v14h5m4-11 4 4-4 4m4-4H9",
  star: "m12 4 2.5 5.2 5.7.8-4.1 4 1 5.7-5.1-2.7-5.1 2.7 1-5.7-4.1-4 5.7-.8z",
  sync: "M20 11a8 8 0 0 0-14.3-4.2L4 8.5M4 4v4.5h4.5M4 13a8 8 0 0 0 14.3 4.2l1.7-1.7m0 4.5v-4.5h-4.5",
  tag: "M4 4.5h7.5l8 8-7 7-8.5-8.5zM8 8.5v.01",
  trash: "M5 7h14M10 7V4.5h4V7M7 7l.8 12.5h8.4L17 7m-7 3.5v5.5m4-5.5v5.5",
} as const;

export type IconName = keyof typeof paths;

interface IconProps {
  name: IconName;
  /** Side in pixels. */
  size?: number;
  filled?: boolean;
}

/** A small decorative icon. A control with only an icon needs a name. */
export function Icon({ name, size = 18, filled = false }: IconProps) {
  return (
    <svg
      className={styles.icon}
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill={filled ? "currentColor" : "none"}
      stroke="currentColor"
      strokeWidth={name === "more" ? 2.75 : 1.75}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={paths[name]} />
    </svg>
  );
}
