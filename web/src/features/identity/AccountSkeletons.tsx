import { Skeleton } from "@/ui/Loading";
import styles from "./AccountRow.module.css";
import { accountsPageMessages as words } from "./AccountsPage.messages";
import page from "./AccountsPage.module.css";

const rows = [1, 2, 3, 4, 5, 6];

/** Placeholders for accounts that are loading. */
export function AccountSkeletons() {
  return (
    <div role="status" aria-label={words.loading}>
      <div className={page.total}>
        <Skeleton width="6rem" height="1.5em" />
      </div>
      {rows.map((row) => (
        <div key={row} className={styles.row}>
          <Skeleton width="32px" height="32px" />
          <div className={styles.bars}>
            <Skeleton width="40%" />
            <Skeleton width="65%" height="0.875em" />
          </div>
          <div className={styles.state}>
            <Skeleton width="9rem" height="22px" />
          </div>
          <div className={styles.actions}>
            <Skeleton width="5rem" height="32px" />
          </div>
        </div>
      ))}
    </div>
  );
}
