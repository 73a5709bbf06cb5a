import { lazy, Suspense } from "react";
import type { Resource } from "@/api/types";
import { kindOf } from "@/features/catalog/kinds";

const VersionsOfEntry = lazy(async () => ({
  default: (await import("@/features/uploads/VersionsOfEntry")).VersionsOfEntry,
}));
const EntryDeposits = lazy(async () => ({
  default: (await import("@/features/deposits/EntryDeposits")).EntryDeposits,
}));
const DepositVersion = lazy(async () => ({
  default: (await import("@/features/deposits/DepositVersion")).DepositVersion,
}));
const EntryProjects = lazy(async () => ({ default: (await import("./EntryProjects")).EntryProjects }));

/** What the page of an entry shows after its content. */
export function EntryMore({ resource }: { resource: Resource }) {
  const { id, type, canDelete } = resource;
  return (
    <>
      {resource.entryVersion && (
        <Suspense>
          <VersionsOfEntry
            key={id}
            resource={resource}
            deposit={canDelete ? (version) => <DepositVersion resource={resource} version={version} /> : undefined}
          />
        </Suspense>
      )}
      {canDelete && (
        <Suspense>
          <EntryDeposits key={id} resource={resource} />
        </Suspense>
      )}
      {kindOf(type).projectParameter !== undefined && (
        <Suspense>
          <EntryProjects resourceId={id} />
        </Suspense>
      )}
    </>
  );
}
