import type { Session } from "@/api/types";
import styles from "./LeftOut.module.css";
import { sessionCardMessages as messages } from "./SessionCard.messages";

/** What the repository of a session asks for and the session doesn't have, folded; nothing if it has everything. */
export function LeftOut({ session: { leftOut } }: { session: Session }) {
  if (!leftOut?.length) return null;
  return (
    <details className={styles.left}>
      <summary>{messages.notInstalled(leftOut.length)}</summary>
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
