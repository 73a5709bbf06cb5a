import type { Session } from "@/api/types";
import styles from "./LeftOut.module.css";

interface LeftOutProps {
  /** Says how many there are. */
  label: (count: number) => string;
  leftOut: Session["leftOut"];
}

/** What a repository asks for and a session doesn't have, folded; nothing if it has everything. */
export function LeftOut({ label, leftOut }: LeftOutProps) {
  if (!leftOut?.length) return null;
  return (
    <details className={styles.left}>
      <summary>{label(leftOut.length)}</summary>
      <dl className={styles.list} tabIndex={0}>
        {leftOut.map(({ what, why }) => (
          <div key={`${what} ${why}`}>
            <dt>{what}</dt>
            <dd>{why}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
