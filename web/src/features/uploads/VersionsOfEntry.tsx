import { useQuery } from "@tanstack/react-query";
import { lazy, type ReactNode, Suspense } from "react";
import { isNotFound } from "@/api/problem";
import type { Resource } from "@/api/types";
import { useAuth } from "@/features/identity/useAuth";
import { versionsQuery } from "./versionsQuery";

const EntryVersions = lazy(async () => ({ default: (await import("./EntryVersions")).EntryVersions }));

interface VersionsOfEntryProps {
  resource: Resource;
  /** Renders where a version is deposited, for authors. */
  deposit: ((version: number) => ReactNode) | undefined;
}

/** The versions of an entry; nothing if it has none. */
export function VersionsOfEntry({ resource, deposit }: VersionsOfEntryProps) {
  const { state } = useAuth();
  const { data, error } = useQuery({ ...versionsQuery(resource.id), enabled: state !== "loading" });
  if (data ? data.content.length === 0 : !error || isNotFound(error)) return null;
  return (
    <Suspense>
      <EntryVersions resource={resource} deposit={deposit} />
    </Suspense>
  );
}
