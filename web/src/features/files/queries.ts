import { queryOptions } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import { Problem } from "@/api/problem";

/** Everything that this feature keeps of repositories lies below "files". */
export const fileKeys = {
  all: ["files"] as const,
  folder: (id: string, path: string) => ["files", id, "folder", path] as const,
  text: (id: string, path: string) => ["files", id, "text", path] as const,
};

/** How soon an old answer is asked for again, in milliseconds. */
const againWhenStale = 60_000;

/** When to ask again by itself: when the server said so, and soon for an answer that is old because the host fails. */
function again(error: unknown, stale: boolean | undefined): number | false {
  if (error instanceof Problem && error.retryAfter !== undefined) return 1000 * Math.max(1, error.retryAfter);
  return error === null && stale ? againWhenStale : false;
}

// The code host's limit is small: nothing is asked twice in a row.
const shared = { retry: false, staleTime: 5 * 60_000, refetchOnWindowFocus: false };

/** A folder of an entry's repository; "" is the root. */
export function folderQuery(id: string, path: string) {
  return queryOptions({
    ...shared,
    queryKey: fileKeys.folder(id, path),
    queryFn: ({ signal }) =>
      answer(api.GET("/api/v1/rf/resources/public/{id}/files", { params: { path: { id }, query: { path } }, signal })),
    refetchInterval: ({ state }) => again(state.error, state.data?.stale),
  });
}

/** A text of an entry's repository. */
export function textQuery(id: string, path: string) {
  return queryOptions({
    ...shared,
    queryKey: fileKeys.text(id, path),
    queryFn: ({ signal }) =>
      answer(api.GET("/api/v1/rf/resources/public/{id}/file", { params: { path: { id }, query: { path } }, signal })),
    refetchInterval: ({ state }) => again(state.error, state.data?.stale),
  });
}
