import styles from "./ProgressLine.module.css";

/** A thin line that moves while something is under way whose end nobody knows. The text beside it says what. */
export function ProgressLine() {
  return <span className={styles.line} aria-hidden="true" />;
}
