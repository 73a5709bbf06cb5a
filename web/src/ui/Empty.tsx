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
 * There is nothing here, and what to do about it: one sentence and one action. Of the same size and place as an
 * ErrorState; what is still loading shows neither.
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
