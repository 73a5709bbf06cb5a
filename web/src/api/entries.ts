import type { QueryClient } from "@tanstack/react-query";
import type { Resource, ResourcePage } from "./types";

// The query keys of all cached entries, by the shape of their data. patchEntry updates every shape.
const all = ["resources"] as const;
const pages = [...all, "pages"] as const;
const lists = [...all, "lists"] as const;
const pickers = [...all, "pickers"] as const;

export const entryKeys = {
  all,
  /** Each is a ResourcePage. */
  search: (filters: object) => [...pages, "search", filters] as const,
  kind: (type: string, filters: object) => [...pages, "kind", type, filters] as const,
  person: (id: string, page: number) => [...pages, "person", id, page] as const,
  landing: () => [...pages, "landing"] as const,
  /** Each is a Resource[]. */
  lists,
  starred: (email: string) => [...lists, "starred", email] as const,
  /** A Resource. */
  one: (id: string) => [...all, "one", id] as const,
  /** Any shape: the pickers of a project, which are never shown together with controls that change an entry. */
  parts: (type: string, text: string, email: string) => [...pickers, "parts", type, text, email] as const,
  part: (id: string) => [...pickers, "one", id] as const,
  /** Data about an entry. */
  citation: (id: string) => [...all, "citation", id] as const,
  related: (id: string) => [...all, "related", id] as const,
  score: (id: string, updatedAt: string) => [...all, "score", id, updatedAt] as const,
};

/**
 * Changes an entry in all cached data without a request; only the pickers are refetched when they are shown next. If
 * `change` returns undefined, the entry is removed from lists, but stays cached for the page that shows it.
 */
export function patchEntry(client: QueryClient, id: string, change: (entry: Resource) => Resource | undefined): void {
  const patched = (entries: Resource[]) =>
    entries.flatMap((entry) => (entry.id === id ? (change(entry) ?? []) : [entry]));
  client.setQueriesData<ResourcePage>(
    { queryKey: pages },
    (page) => page && { ...page, content: patched(page.content) },
  );
  client.setQueriesData<Resource[]>({ queryKey: lists }, (list) => list && patched(list));
  client.setQueryData<Resource>(entryKeys.one(id), (entry) => entry && (change(entry) ?? entry));
  void client.invalidateQueries({ queryKey: pickers, refetchType: "none" });
}
