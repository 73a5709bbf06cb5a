import type { QueryClient } from "@tanstack/react-query";
import { entryKeys } from "./entries";
import type { Resource, ResourcePage } from "./types";

/**
 * Changes an entry in all cached data without a request; only the pickers are refetched when they are shown next. If
 * `change` returns undefined, the entry is removed from lists, but stays cached for the page that shows it.
 */
export function patchEntry(client: QueryClient, id: string, change: (entry: Resource) => Resource | undefined): void {
  const patched = (entries: Resource[]) =>
    entries.flatMap((entry) => (entry.id === id ? (change(entry) ?? []) : [entry]));
  client.setQueriesData<ResourcePage>(
    { queryKey: entryKeys.pages },
    (page) => page && { ...page, content: patched(page.content) },
  );
  client.setQueriesData<Resource[]>({ queryKey: entryKeys.lists }, (list) => list && patched(list));
  client.setQueriesData<Resource>({ queryKey: entryKeys.one(id) }, (entry) => entry && (change(entry) ?? entry));
  void client.invalidateQueries({ queryKey: entryKeys.pickers, refetchType: "none" });
}
