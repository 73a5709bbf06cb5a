import styles from "./ProgressLine.module.css";

/** A thin indeterminate progress line. The text beside it says what is in progress. */
export function ProgressLine() {
  return <span className={styles.line} aria-hidden="true" />;
}
