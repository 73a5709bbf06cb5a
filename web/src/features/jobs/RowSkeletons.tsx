import rows from "@/ui/ListRow.module.css";
import { Skeleton } from "@/ui/Loading";

/** Placeholders of rows that are loading. */
export function RowSkeletons({ label }: { label: string }) {
  return (
    <div role="status" aria-label={label}>
      {[1, 2, 3].map((row) => (
        <div key={row} className={rows.row}>
          <div className={rows.what}>
            <Skeleton width="40%" />
            <Skeleton width="65%" height="22px" />
          </div>
        </div>
      ))}
    </div>
  );
}
