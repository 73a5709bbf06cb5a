import styles from "./states.module.css";

interface ProgressStateProps {
  /** One sentence: what is under way. */
  title: string;
  /** How far it is. */
  message: string;
  /** Names the bar. */
  label: string;
  /** Without it the bar is indeterminate. */
  percent: number | undefined;
}

/** Something that takes long is under way in the place where its result will be. */
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
