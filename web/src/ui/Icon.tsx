import { type ComponentType, lazy, Suspense } from "react";
import styles from "./Icon.module.css";
import paths from "./icons.json";
import type laterPaths from "./laterIcons.json";

// An icon is only decoration: without a network, what it decorates is still shown.
const LaterIcon = lazy<ComponentType<{ name: LaterName }>>(() =>
  import("./LaterIcon").then(
    ({ LaterIcon }) => ({ default: LaterIcon }),
    () => ({ default: () => null }),
  ),
);

type FirstName = keyof typeof paths;
type LaterName = keyof typeof laterPaths;
export type IconName = FirstName | LaterName;

interface IconProps {
  name: IconName;
  /** Side in pixels. */
  size?: number;
  filled?: boolean;
}

/**
 * A small decorative icon, drawn on a grid of 24 px. A control with only an icon needs a name. The server's documents draw
 * the same icons from icons.json; those in laterIcons.json are loaded when one is shown.
 */
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
      {isFirst(name) ? (
        <path d={paths[name]} />
      ) : (
        <Suspense>
          <LaterIcon name={name} />
        </Suspense>
      )}
    </svg>
  );
}

function isFirst(name: IconName): name is FirstName {
  return name in paths;
}
