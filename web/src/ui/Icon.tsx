import styles from "./Icon.module.css";

// Drawn on a 24 px grid with a stroke of 1.75.
const paths = {
  arrowLeft: "M19 12H5m6-6-6 6 6 6",
  arrowRight: "M5 12h14m-6-6 6 6-6 6",
  book: "M5 4.5h11a3 3 0 0 1 3 3v12H8a3 3 0 0 1-3-3zM5 16.5a3 3 0 0 1 3-3h11M9 8h6",
  branch:
    "M7 8v8m0-8a2 2 0 1 0 0-4 2 2 0 0 0 0 4Zm0 8a2 2 0 1 0 0 4 2 2 0 0 0 0-4Zm10-6a2 2 0 1 0 0-4 2 2 0 0 0 0 4Zm0 0c0 4-4 4.5-8.5 6.5",
  calendar: "M5 6.500h14v13H5zM5 11h14M9 4v4m6-4v4",
  check: "m5 12.5 4.5 4.500L19 7.5",
  chevronDown: "m6 9.5 6 6 6-6",
  close: "m6 6 12 12M18 6 6 18",
  copy: "M9 9h11v11H9zM15 9V4H4v11h5",
  cube: "m12 3.5 7.5 4.250v8.500L12 20.500l-7.5-4.250v-8.500zm0 8.5 7.5-4.250M12 12v8.500M12 12 4.5 7.75",
  database:
    "M5 6.500c0-1.66 3.13-3 7-3s7 1.34 7 3-3.13 3-7 3-7-1.34-7-3Zm0 0v11c0 1.66 3.13 3 7 3s7-1.34 7-3v-11M5 12c0 1.66 3.13 3 7 3s7-1.34 7-3",
  download: "M12 4v11.500m-4.5-4.500 4.5 4.500 4.5-4.500M5 19.500h14",
  edit: "M5 19h3.5L19 8.500 15.5 5 5 15.500zM13 7.500l3.5 3.500",
  error: "M12 8v5m0 3.500v.01M12 3.500a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17Z",
  external: "M13.5 5H19v5.500M19 5l-8 8M10 6H5v13h13v-5",
  eyeOff:
    "m4 4 16 16M9.9 5.800A9.6 9.6 0 0 1 12 5.500c5 0 8.5 4.5 9 6.500a11 11 0 0 1-2.7 3.900M6.5 7.600C4.3 9 3.2 11 3 12c.5 2 4 6.5 9 6.500a9.5 9.5 0 0 0 4-.9M9.9 9.900a3 3 0 0 0 4.2 4.2",
  eye: "M3 12c.5-2 4-6.500 9-6.500s8.500 4.500 9 6.500c-.5 2-4 6.500-9 6.500S3.500 14 3 12Zm9 2.750a2.750 2.750 0 1 0 0-5.500 2.750 2.750 0 0 0 0 5.500Z",
  file: "M6 3.500h8l4 4v13H6zM14 3.500v4h4",
  folder: "M4 6.500h5.500l2 2.500H20v9.500H4z",
  info: "M12 11v5.500M12 7.500v.01M12 3.500a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17Z",
  link: "M10 14.500a4 4 0 0 0 5.700 0l3.200-3.200a4 4 0 0 0-5.700-5.700l-1.200 1.200M14 9.500a4 4 0 0 0-5.700 0l-3.200 3.200a4 4 0 0 0 5.700 5.700l1.200-1.200",
  lock: "M6.5 11h11v9h-11zm2-0V8a3.5 3.5 0 0 1 7 0v3",
  menu: "M4 7h16M4 12h16M4 17h16",
  more: "M12 5.500v.01M12 12v.01M12 18.500v.01",
  offline:
    "m4 4 16 16M8.500 8.200A6 6 0 0 0 6.200 11 4 4 0 0 0 7 19h10.500M10.500 6.200A6 6 0 0 1 17.800 11a4 4 0 0 1 3 5.500",
  people:
    "M9.5 11.500a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7Zm-6 8c0-3.300 2.700-5.500 6-5.500s6 2.200 6 5.500M16 5a3.200 3.200 0 0 1 0 6.200M17.500 14.300c2 .7 3.200 2.700 3.200 5.200",
  place:
    "M12 20.500c4.500-5 6.500-8 6.500-10.700a6.500 6.500 0 0 0-13 0c0 2.700 2 5.700 6.500 10.700Zm0-8.500a2.300 2.300 0 1 0 0-4.600 2.300 2.300 0 0 0 0 4.600Z",
  play: "M8 5.500v13l10.5-6.500z",
  plus: "M12 5v14M5 12h14",
  quote:
    "M10 7c-3 .5-4.500 2.500-4.500 5.500V17H10v-4.500H7.500M18.500 7c-3 .5-4.500 2.500-4.500 5.500V17h4.500v-4.500H16",
  search: "m20 20-4.6-4.600M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13Z",
  signOut: "M10 5H5v14h5m4-11 4 4-4 4m4-4H9",
  star: "m12 4 2.5 5.2 5.7.8-4.1 4 1 5.7-5.1-2.7-5.1 2.7 1-5.7-4.1-4 5.7-.8z",
  stop: "M7 7h10v10H7z",
  sync: "M20 11a8 8 0 0 0-14.300-4.200L4 8.500M4 4v4.500h4.500M4 13a8 8 0 0 0 14.300 4.200l1.700-1.700m0 4.500v-4.500h-4.500",
  tag: "M4 4.500h7.500l8 8-7 7-8.5-8.500zM8 8.500v.01",
  trash: "M5 7h14M10 7V4.500h4V7M7 7l.8 12.500h8.400L17 7m-7 3.500v5.500m4-5.500v5.5",
} as const;

export type IconName = keyof typeof paths;

interface IconProps {
  name: IconName;
  /** Side in pixels. */
  size?: number;
  filled?: boolean;
}

/** A small picture beside a text. It says nothing by itself: whoever uses it alone names its control. */
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
