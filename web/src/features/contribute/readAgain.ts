import type { QueryClient } from "@tanstack/react-query";

/** The query key of descriptors in sync dialogs. Each opening refetches, and nothing else uses the answer. */
export const descriptorsKey = ["descriptor"] as const;

/** Invalidates all queries, because lists, tags, projects and files may show the changed entry. */
export function readAgain(queries: QueryClient): Promise<void> {
  return queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== descriptorsKey[0] });
}
