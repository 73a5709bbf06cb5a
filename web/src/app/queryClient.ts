import { onlineManager, QueryClient } from "@tanstack/react-query";
import { connection } from "@/api/connection";
import { indexProgress, Problem } from "@/api/problem";

const retries = 2;

/** Worth a second try: no answer, or a server in trouble. What was refused once is refused again. */
export function worthRetrying(failures: number, error: unknown): boolean {
  if (indexProgress(error)) return true; // it will be ready
  return failures < retries && error instanceof Problem && (error.status === 0 || error.status >= 500);
}

/** Milliseconds until the next try: as long as the server says when it is getting ready, else longer each time. */
export function retryDelay(failures: number, error: unknown): number {
  const asked = indexProgress(error) && error instanceof Problem ? error.retryAfter : undefined;
  return 1000 * (asked ?? Math.min(2 ** failures, 30));
}

/** The memory of what the server said. */
export function makeQueryClient(): QueryClient {
  onlineManager.setEventListener((setOnline) => connection.subscribe(() => setOnline(!connection.isLost())));
  return new QueryClient({
    defaultOptions: {
      // "always": a server on this machine answers although the browser says that it is offline.
      queries: { retry: worthRetrying, retryDelay, staleTime: 30_000, networkMode: "always", refetchOnReconnect: true },
      mutations: { networkMode: "always" },
    },
  });
}
