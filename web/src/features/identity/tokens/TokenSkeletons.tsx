import styles from "@/ui/ListRow.module.css";
import { Skeleton } from "@/ui/Loading";
import { tokensPageMessages as words } from "./TokensPage.messages";

const rows = [1, 2, 3];

/** Placeholders for access tokens that are loading. */
export function TokenSkeletons() {
  return (
    <div role="status" aria-label={words.loading}>
      {rows.map((row) => (
        <div key={row} className={styles.row}>
          <div className={styles.what}>
            <Skeleton width="30%" />
            <Skeleton width="6rem" height="22px" />
            <Skeleton width="60%" height="0.875em" />
          </div>
          <Skeleton width="5rem" height="32px" />
        </div>
      ))}
    </div>
  );
}
