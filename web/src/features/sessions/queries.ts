import { queryOptions } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import { Problem } from "@/api/problem";
import type { Interface, LogPart, Session } from "@/api/types";
import { pollDelay, pollInterval } from "@/lib/polling";
import type { RunWish } from "./openRequest";

export const sessionsKey = ["sessions"];

/** How many polls in a row got no answer. */
let failures = 0;

/** The caller's sessions, newest first, polled while a page shows them and is visible. */
export const sessionsQuery = queryOptions({
  queryKey: sessionsKey,
  queryFn: async ({ signal }): Promise<Session[]> => {
    try {
      const sessions = await answer(api.GET("/api/v1/rf/sessions", { signal }));
      failures = 0;
      return sessions;
    } catch (error) {
      if (!signal.aborted) {
        failures += 1;
        console.error("The sessions cannot be brought up to date", error);
      }
      throw error;
    }
  },
  retry: false,
  refetchOnWindowFocus: "always",
  refetchInterval: ({ state }) =>
    pollDelay({ answered: state.dataUpdatedAt > 0, failures, refused: isRefusal(state.error) }),
});

/** Not signed in, or not allowed: retrying wouldn't help. */
export function isRefusal(error: unknown): error is Problem {
  return error instanceof Problem && (error.status === 401 || error.status === 403);
}

/** TERMINATED stops a session and keeps its work; CREATED starts it again. */
export function setStatus(id: string, status: "TERMINATED" | "CREATED"): Promise<Session> {
  return answer(api.PATCH("/api/v1/rf/sessions/{id}", { params: { path: { id }, query: { status } } }));
}

/** A stop that takes longer than this, in milliseconds, is only followed in the list. */
const longestStop = 120_000;

/**
 * Stops a session, keeps its work, and waits until that is done: the server answers after 8 s at the latest. It no
 * longer waits once the signal aborts, or when the stop takes very long; the session is then still being stopped.
 */
export async function terminate(id: string, signal: AbortSignal): Promise<Session> {
  let session = await setStatus(id, "TERMINATED");
  for (let waited = 0; session.requestedStatus === "TERMINATED" && waited < longestStop; waited += pollInterval) {
    await new Promise((resolve) => window.setTimeout(resolve, pollInterval));
    if (signal.aborted) break;
    session = await answer(api.GET("/api/v1/rf/sessions/{id}", { params: { path: { id } } }));
  }
  return session;
}

/** How often what a running session uses is asked for, in milliseconds. */
const usageInterval = 10_000;

/** What a running session uses now; null where that isn't known. The list of sessions doesn't have it. */
export const usageQuery = (id: string) =>
  queryOptions({
    queryKey: [...sessionsKey, id, "usage"],
    queryFn: async ({ signal }) =>
      (await answer(api.GET("/api/v1/rf/sessions/{id}", { params: { path: { id } }, signal }))).usage ?? null,
    retry: false,
    refetchInterval: usageInterval,
  });

/** The end of the log of a session's last launch; "" when there is none. */
export const logQuery = (id: string) =>
  queryOptions({
    queryKey: [...sessionsKey, id, "log"],
    queryFn: async ({ signal }): Promise<LogPart[]> =>
      (await answer(api.GET("/api/v1/rf/sessions/{id}/log", { params: { path: { id } }, signal }))).parts,
    retry: false,
  });

/** Gives an address that downloads the work of a session once. */
export async function workLink(id: string): Promise<string> {
  const { url } = await answer(api.POST("/api/v1/rf/sessions/{id}/work-link", { params: { path: { id } } }));
  return url;
}

/** Gives an address that downloads a version of the work once, or a file of it. */
export async function versionLink(id: string, version: string, path: string): Promise<string> {
  const params = { path: { id, version }, query: { path } };
  const { url } = await answer(api.POST("/api/v1/rf/sessions/{id}/versions/{version}/link", { params }));
  return url;
}

export function deleteSession(id: string): Promise<boolean> {
  return answer(api.DELETE("/api/v1/rf/sessions/{id}", { params: { path: { id } } }));
}

// An address of more ids is too long for some proxies.
const idsPerCall = 100;

/** Deletes sessions part by part. When a part fails, it calls onKept with the ids of that part and of all later ones. */
export async function deleteSessions(ids: string[], onKept: (ids: string[]) => void): Promise<void> {
  for (let start = 0; start < ids.length; start += idsPerCall) {
    const some = ids.slice(start, start + idsPerCall).join(",");
    try {
      await answer(api.DELETE("/api/v1/rf/sessions/delete/{ids}", { params: { path: { ids: some } } }));
    } catch (error) {
      onKept(ids.slice(start));
      throw error;
    }
  }
}

/** Starts a session of a project and returns the address to go to; with the same key it is the same session. */
export async function startSession(
  {
    projectId,
    sessionName,
    engine,
    profile,
  }: { projectId: string; sessionName: string; engine: string; profile?: string },
  key: string,
): Promise<string> {
  const { redirectUrl } = await answer(
    api.GET("/api/v1/rf/hub/start/project/{id}", {
      params: {
        path: { id: projectId },
        query: { sessionName, engine, ...(profile && { profile }) },
        header: { "Idempotency-Key": key },
      },
    }),
  );
  return redirectUrl;
}

/** Starts a session from an entry or a project and returns the address to go to; with the same key it is the same session. */
export async function runSession(wish: RunWish, key: string): Promise<string> {
  const { openUrl } = await answer(
    api.POST("/api/v1/rf/sessions", { params: { header: { "Idempotency-Key": key } }, body: wish }),
  );
  return openUrl;
}

/** Returns the address of a session, which starts again if it doesn't run. */
export async function resumeSession(id: string, inside?: Interface): Promise<string> {
  const params = { path: { id }, query: inside ? { interface: inside } : {} };
  const { redirectUrl } = await answer(api.GET("/api/v1/rf/hub/resume/session/{id}", { params }));
  return redirectUrl;
}
