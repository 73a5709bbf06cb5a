import { queryOptions } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import { Problem } from "@/api/problem";
import { ofVersion, type Version } from "@/api/version";

/** The query keys of repositories begin with "files". */
export const fileKeys = {
  all: ["files"] as const,
  folder: (id: string, path: string, version: Version) => ["files", id, "folder", path, version] as const,
  typed: (id: string, path: string) => ["files", id, "typed", path] as const,
  text: (id: string, path: string, version: Version) => ["files", id, "text", path, version] as const,
  notebook: (id: string, path: string, version: Version) => ["files", id, "notebook", path, version] as const,
};

/** How soon a stale answer is fetched again, in milliseconds. */
const againWhenStale = 60_000;

/** How often a failed request is retried automatically. */
const mostTries = 12;

/**
 * The seconds until the next automatic retry: as long as the server asks, then longer each time; undefined for never.
 */
export function againIn(error: unknown, failures: number): number | undefined {
  if (!(error instanceof Problem) || error.retryAfter === undefined || failures > mostTries) return undefined;
  return Math.max(1, error.retryAfter) * 2 ** Math.min(Math.max(failures - 1, 0), 4);
}

interface Known {
  error: unknown;
  errorUpdateCount: number;
  data: { stale: boolean } | undefined;
}

function interval({ error, errorUpdateCount, data }: Known): number | false {
  const seconds = againIn(error, errorUpdateCount);
  if (seconds !== undefined) return 1000 * seconds;
  return error === null && data?.stale ? againWhenStale : false;
}

// The code host's rate limit is low, so there are no immediate retries.
const shared = { retry: false, staleTime: 5 * 60_000, refetchOnWindowFocus: false };

/** A folder of an entry's repository; "" is the root. */
export function folderQuery(id: string, path: string, version?: Version) {
  return queryOptions({
    ...shared,
    queryKey: fileKeys.folder(id, path, version),
    queryFn: ({ signal }) =>
      answer(api.GET("/api/v1/rf/resources/public/{id}/files", { params: ofVersion(id, version, { path }), signal })),
    refetchInterval: ({ state }) => interval(state),
  });
}

/** A text of an entry's repository. */
export function textQuery(id: string, path: string, version: Version) {
  return queryOptions({
    ...shared,
    queryKey: fileKeys.text(id, path, version),
    queryFn: ({ signal }) =>
      answer(api.GET("/api/v1/rf/resources/public/{id}/file", { params: ofVersion(id, version, { path }), signal })),
    refetchInterval: ({ state }) => interval(state),
  });
}

/** The facts of a notebook in an entry's repository, and the address of its frame, which expires within minutes. */
export function notebookQuery(id: string, path: string, version: Version) {
  return queryOptions({
    ...shared,
    queryKey: fileKeys.notebook(id, path, version),
    queryFn: ({ signal }) =>
      answer(
        api.GET("/api/v1/rf/resources/public/{id}/notebook", { params: ofVersion(id, version, { path }), signal }),
      ),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
}
