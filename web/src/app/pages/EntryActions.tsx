import type { Resource } from "@/api/types";
import { SyncRepository } from "@/features/contribute/SyncRepository";
import { PrepareLink } from "@/features/workshops/PrepareLink";

/** What people who have signed in can do with an entry, depending on who they are. */
export function EntryActions({ resource }: { resource: Resource }) {
  return (
    <>
      {resource.canSync && <SyncRepository resource={resource} />}
      {resource.runnable && resource.type !== "MODEL" && <PrepareLink of="entry" id={resource.id} />}
    </>
  );
}
