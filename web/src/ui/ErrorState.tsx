import type { ReactNode } from "react";
import { Button } from "./Button";
import { errorStateMessages as words } from "./ErrorState.messages";
import { Icon } from "./Icon";
import styles from "./states.module.css";

interface Failure {
  /** One sentence: what did not work. */
  title: string;
  /** The reason in the server's words, and what was kept. */
  message: string | undefined;
}

/** What to do next: every error offers a way on. */
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
 * Something failed, in the place where its result would be: what did not work, why as the server said it, and the way
 * to try again. A failed action without such a place shows a toast; errors about one field are shown at the field.
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
