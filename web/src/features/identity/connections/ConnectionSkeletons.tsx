import { Skeleton } from "@/ui/Loading";
import { connectionsPageMessages as words } from "./ConnectionsPage.messages";

const rows = [1, 2, 3];

/** Placeholders for code hosts that are loading. */
export function ConnectionSkeletons() {
  return (
    <div role="status" aria-label={words.loading}>
      {rows.map((row) => (
        <div key={row} className="cx-host">
          <div className="cx-what">
            <Skeleton width="8rem" />
            <Skeleton width="12rem" height="0.875em" />
          </div>
          <Skeleton width="10rem" height="32px" />
        </div>
      ))}
    </div>
  );
}
