import { Skeleton } from "@/ui/Loading";
import styles from "./AuditRow.module.css";

const rows = [1, 2, 3, 4, 5, 6];

/** Placeholders for records that are loading. */
export function AuditSkeletons({ label }: { label: string }) {
  return (
    <div role="status" aria-label={label}>
      {rows.map((row) => (
        <div key={row} className={styles.row}>
          <div className={styles.bars}>
            <Skeleton width="60%" />
            <Skeleton width="5rem" height="0.875em" />
          </div>
          <Skeleton width="5rem" height="0.875em" />
        </div>
      ))}
    </div>
  );
}
