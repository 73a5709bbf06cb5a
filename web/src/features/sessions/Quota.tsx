import styles from "./Quota.module.css";
import { sessionsMessages as messages } from "./Sessions.messages";

interface QuotaProps {
  used: number;
  limit: number;
}

/** How many of the sessions that one may have are created or running, and what to do when that is all. */
export function Quota({ used, limit }: QuotaProps) {
  return (
    <p className={styles.quota}>
      <meter className={styles.meter} min={0} max={limit} value={used} aria-hidden="true" />
      {used < limit ? messages.quota(used, limit) : messages.full(limit)}
    </p>
  );
}
