import { QueryClient } from "@tanstack/react-query";
import { Problem } from "@/api/problem";

const retries = 2;

/** Worth a second try: no answer, or a server in trouble. What was refused once is refused again. */
export function worthRetrying(failures: number, error: unknown): boolean {
  return failures < retries && error instanceof Problem && (error.status === 0 || error.status >= 500);
}

/** The memory of what the server said. */
export function makeQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      // "always": a server on this machine answers although the browser says that it is offline.
      queries: { retry: worthRetrying, staleTime: 30_000, networkMode: "always" },
      mutations: { networkMode: "always" },
    },
  });
}
