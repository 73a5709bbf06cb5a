import type { ReactNode } from "react";
import { loadingMessages as words } from "./Loading.messages";
import styles from "./states.module.css";

/**
 * Says that something is loading whose shape isn't known yet; otherwise use SkeletonPlace. It appears with a delay, so that
 * fast loads don't flash.
 */
export function Loading({ label = words.loading }: { label?: string }) {
  return (
    <p className={styles.loading} role="status">
      {label}
    </p>
  );
}

interface SkeletonPlaceProps {
  /** What is loading, read out only. */
  label: string;
  className?: string | undefined;
  /** Skeletons in the shape of the content. */
  children: ReactNode;
}

/** The placeholder of loading content, in its shape, so that nothing jumps when it arrives. */
export function SkeletonPlace({ label, className, children }: SkeletonPlaceProps) {
  return (
    <div role="status" className={className}>
      <span className="visually-hidden">{label}</span>
      {children}
    </div>
  );
}

interface SkeletonProps {
  width?: string;
  height?: string;
}

/** A gray bar in the shape of the content. The SkeletonPlace around it says that it is loading. */
export function Skeleton({ width = "100%", height = "1em" }: SkeletonProps) {
  return <span className={styles.skeleton} style={{ width, height }} aria-hidden="true" />;
}
