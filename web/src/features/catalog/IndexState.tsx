import styles from "./IndexState.module.css";
import { indexStateMessages } from "./messages";

interface IndexStateProps {
  /** How far it is, as the server said it. */
  message: string;
  percent: number | undefined;
}

/** The search is not ready yet; the page asks again by itself. */
export function IndexState({ message, percent }: IndexStateProps) {
  return (
    <div className={styles.state}>
      <p className={styles.title} role="status">
        {indexStateMessages.title}
      </p>
      <progress className={styles.bar} aria-label={indexStateMessages.bar} max={100} value={percent} />
      <p>{message}</p>
    </div>
  );
}
