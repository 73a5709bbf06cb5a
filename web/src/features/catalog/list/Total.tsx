import type { ReactNode } from "react";
import styles from "./Total.module.css";

/** How much there is, as the heading over it; a change is read out. */
export function Total({ children }: { children: ReactNode }) {
  return (
    <h2 className={styles.total}>
      <span role="status">{children}</span>
    </h2>
  );
}
