import { loadingMessages as words } from "./messages";
import styles from "./states.module.css";

/** Says that something is loading, for a place whose shape is not known yet. */
export function Loading({ label = words.loading }: { label?: string }) {
  return (
    <p className={styles.loading} role="status">
      {label}
    </p>
  );
}

interface SkeletonProps {
  width?: string;
  height?: string;
}

/** A grey bar in the shape of what comes. The place around it says that it is loading. */
export function Skeleton({ width = "100%", height = "1em" }: SkeletonProps) {
  return <span className={styles.skeleton} style={{ width, height }} aria-hidden="true" />;
}
