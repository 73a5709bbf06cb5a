import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { isNotFound } from "@/api/problem";
import type { Resource } from "@/api/types";
import { useAuth } from "@/features/identity/useAuth";
import { versionsQuery } from "./versionsQuery";

const EntryVersions = lazy(async () => ({ default: (await import("./EntryVersions")).EntryVersions }));

/** The versions of an entry; nothing if it has none. */
export function VersionsOfEntry({ resource }: { resource: Resource }) {
  const { state } = useAuth();
  const { data, error } = useQuery({ ...versionsQuery(resource.id), enabled: state !== "loading" });
  if (data ? data.content.length === 0 : !error || isNotFound(error)) return null;
  return (
    <Suspense>
      <EntryVersions resource={resource} />
    </Suspense>
  );
}
