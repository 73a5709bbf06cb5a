import { onlineManager, QueryClient } from "@tanstack/react-query";
import { connection } from "@/api/connection";
import { hasCode, Problem } from "@/api/problem";

const retries = 2;

/** A page that has to wait longer, in seconds, shows an error instead. */
const longestWait = 30;

/** How long to wait for a search index that is being built, in seconds. The page shows its progress. */
const longestBuild = 600;

/**
 * Whether to retry: there was no answer, or a server error without a long Retry-After. Other errors wouldn't change.
 */
export function worthRetrying(failures: number, error: unknown): boolean {
  if (!(error instanceof Problem) || (error.status !== 0 && error.status < 500)) return false;
  const wait = error.retryAfter ?? 0;
  if (hasCode(error, "index_building")) return failures * Math.max(wait, 1) < longestBuild;
  return failures < retries && wait <= longestWait;
}

/** Milliseconds until the next try: as long as the server says, else longer each time. */
export function retryDelay(failures: number, error: unknown): number {
  const asked = error instanceof Problem ? error.retryAfter : undefined;
  return 1000 * (asked ?? Math.min(2 ** failures, longestWait));
}

/** The cache of the server's answers. */
export function makeQueryClient(): QueryClient {
  onlineManager.setEventListener((setOnline) => connection.subscribe(() => setOnline(!connection.isLost())));
  return new QueryClient({
    defaultOptions: {
      // "always": a server on this machine answers even if the browser is offline.
      queries: { retry: worthRetrying, retryDelay, staleTime: 30_000, networkMode: "always", refetchOnReconnect: true },
      mutations: { networkMode: "always" },
    },
  });
}
