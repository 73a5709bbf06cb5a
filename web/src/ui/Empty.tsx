import type { ReactNode } from "react";
import { Mark } from "./Mark";
import styles from "./states.module.css";

interface EmptyProps {
  /** One sentence. */
  title: string;
  children?: ReactNode;
  /** One button or link. */
  action?: ReactNode;
}

/**
 * The state of an empty list: one sentence and one action. It has the size and place of an ErrorState, and isn't shown
 * while loading.
 */
export function Empty({ title, children, action }: EmptyProps) {
  return (
    <div className={styles.state}>
      <span className={styles.mark}>
        <Mark size={40} />
      </span>
      <p className={styles.title}>{title}</p>
      {children}
      {action}
    </div>
  );
}
