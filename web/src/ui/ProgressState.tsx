import styles from "./states.module.css";

interface ProgressStateProps {
  /** One sentence that says what is in progress. */
  title: string;
  /** How far it is. */
  message: string;
  /** Names the bar. */
  label: string;
  /** Without it the bar is indeterminate. */
  percent: number | undefined;
}

/** A long operation in progress, in the place of its result. */
export function ProgressState({ title, message, label, percent }: ProgressStateProps) {
  return (
    <div className={styles.state}>
      <p className={styles.title} role="status">
        {title}
      </p>
      <progress className={styles.bar} aria-label={label} max={100} value={percent} />
      <p>{message}</p>
    </div>
  );
}
