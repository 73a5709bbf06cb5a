import type { Resource } from "@/api/types";
import { resourcePath } from "@/features/catalog/kinds";
import { day } from "@/lib/format";
import { Alert } from "@/ui/Alert";
import { Link } from "@/ui/router";
import { entryVersionNoteMessages as messages } from "./EntryVersionNote.messages";

/** Says that a page shows an older version of its entry, or one that was withdrawn; nothing of the latest one. */
export function EntryVersionNote({
  resource,
  version,
}: {
  resource: Resource;
  version: NonNullable<Resource["entryVersion"]>;
}) {
  const { number, latest, at, withdrawnReason } = version;
  const older = number < latest;
  return (
    <>
      {older && (
        <Alert title={messages.older(number, latest, day(at))}>
          <p>
            <Link to={resourcePath(resource)}>{messages.seeLatest}</Link>
          </p>
        </Alert>
      )}
      {withdrawnReason && (
        <Alert title={messages.withdrawn(number)}>
          <p>{messages.reason(withdrawnReason)}</p>
        </Alert>
      )}
    </>
  );
}
