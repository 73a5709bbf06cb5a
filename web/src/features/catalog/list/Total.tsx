import type { ReactNode } from "react";
import styles from "./Total.module.css";

/** The number of results, as their heading; screen readers announce changes. */
export function Total({ children }: { children: ReactNode }) {
  return (
    <h2 className={styles.total}>
      <span role="status">{children}</span>
    </h2>
  );
}
