import styles from "./TimeLeft.module.css";

interface TimeLeftProps {
  from: string;
  until: string;
  now: number;
}

/** A thin line that grows shorter until something happens. The text beside it says when. */
export function TimeLeft({ from, until, now }: TimeLeftProps) {
  const [start, end] = [new Date(from).getTime(), new Date(until).getTime()];
  const left = end > start ? Math.min(Math.max((end - now) / (end - start), 0), 1) : 0;
  return (
    <span className={styles.line} aria-hidden="true">
      <span className={styles.left} style={{ width: `${Math.round(left * 100)}%` }} />
    </span>
  );
}
