import type { QueryClient } from "@tanstack/react-query";
import type { Resource, ResourcePage } from "./types";

// Everything that the page keeps of entries, by the shape that it is kept in: patchEntry knows them all.
const all = ["resources"] as const;
const pages = [...all, "pages"] as const;
const lists = [...all, "lists"] as const;
const pickers = [...all, "pickers"] as const;

export const entryKeys = {
  all,
  /** Each is a ResourcePage. */
  search: (filters: object) => [...pages, "search", filters] as const,
  kind: (type: string, filters: object) => [...pages, "kind", type, filters] as const,
  newest: () => [...pages, "newest"] as const,
  /** Each is a Resource[]. */
  lists,
  starred: (email: string) => [...lists, "starred", email] as const,
  /** A Resource. */
  one: (id: string) => [...all, "one", id] as const,
  /** Of whatever shape: the pickers of a project, which are never shown beside a way to change an entry. */
  parts: (type: string, text: string, email: string) => [...pickers, "parts", type, text, email] as const,
  part: (id: string) => [...pickers, "one", id] as const,
  /** Not an entry, but of one. */
  citation: (id: string) => [...all, "citation", id] as const,
};

/**
 * Changes an entry wherever it is kept, without asking the server; only the pickers ask again when they are shown next.
 * Where `change` returns undefined the entry leaves its lists; by itself it stays, for the page that shows it.
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
