import type { QueryClient } from "@tanstack/react-query";

/** The descriptors that sync dialogs read: each opening reads again, and nothing else shares the answer. */
export const descriptorsKey = ["descriptor"] as const;

/** Asks again for all that is shown, and later for the rest: lists, tags, projects and files may show a changed entry. */
export function readAgain(queries: QueryClient): Promise<void> {
  return queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== descriptorsKey[0] });
}
