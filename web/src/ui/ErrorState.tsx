import type { ReactNode } from "react";
import { Button } from "./Button";
import { errorStateMessages as words } from "./ErrorState.messages";
import { Icon } from "./Icon";
import styles from "./states.module.css";

interface Failure {
  /** One sentence: what failed. */
  title: string;
  /** The reason as the server reports it, and what was kept. */
  message: string | undefined;
}

/** Tries again. */
type WayOn =
  | {
      onRetry: () => void;
      /** The retry is in progress. */
      retrying?: boolean;
      /** Other buttons and links. */
      children?: ReactNode;
    }
  | { onRetry?: never; retrying?: never; children: ReactNode };

/**
 * The state of failed content: what failed, why, and a way to retry. Failed actions without such a place show a toast, and
 * errors about a field are shown at the field.
 */
export function ErrorState({ title, message, onRetry, retrying = false, children }: Failure & WayOn) {
  return (
    <div className={styles.state} role="alert">
      <span className={styles.failed}>
        <Icon name="error" size={28} />
      </span>
      <p className={styles.title}>{title}</p>
      {message && <p>{message}</p>}
      <div className={styles.actions}>
        {onRetry && (
          <Button onClick={onRetry} busy={retrying}>
            {words.retry}
          </Button>
        )}
        {children}
      </div>
    </div>
  );
}
