import type { Resource } from "@/api/types";
import { CurateActions } from "@/features/catalog/curation/CurateActions";
import { StatusBadge } from "@/features/catalog/curation/StatusBadge";
import { Alert } from "@/ui/Alert";
import { entryNoticesMessages as messages } from "./EntryNotices.messages";
import styles from "./EntryNotices.module.css";

/** What operators decided about an entry, with the reason for those who see a hidden one, and what they can decide. */
export function EntryNotices({ resource }: { resource: Resource }) {
  const { hidden, hiddenReason = "", status, canCurate } = resource;
  return (
    <div className={styles.notices}>
      {hidden ? (
        <Alert title={messages.hidden}>
          <p>{messages.reason(hiddenReason)}</p>
          <p>{messages.meaning}</p>
        </Alert>
      ) : (
        status !== "NONE" && (
          <p className={styles.line}>
            <StatusBadge resource={resource} explained />
          </p>
        )
      )}
      {canCurate && (
        <div className={styles.line}>
          <CurateActions entry={resource} size="small" />
        </div>
      )}
    </div>
  );
}
