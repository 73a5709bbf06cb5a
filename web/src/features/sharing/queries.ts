import { queryOptions } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import { hasCode } from "@/api/problem";
import type { Session, Share, ShareAnswer, SharedSession, ShareLevel, ShareRequest, ShareWish } from "@/api/types";
import { isRefusal, sessionsKey } from "@/features/sessions/queries";

const quick = 5_000; // milliseconds between looks while there is something
const slow = 30_000; // and else

/** How soon a list is looked at again, in milliseconds; false: looking again wouldn't help. */
const lookInterval = ({ state }: { state: { data: readonly unknown[] | undefined; error: unknown } }) =>
  !isRefusal(state.error) && (state.data && state.data.length > 0 ? quick : slow);

/** One of the caller's sessions, with who is there. */
export const ownSessionQuery = (id: string) =>
  queryOptions({
    queryKey: [...sessionsKey, id],
    queryFn: ({ signal }): Promise<Session> =>
      answer(api.GET("/api/v1/rf/sessions/{id}", { params: { path: { id } }, signal })),
    retry: false,
    refetchInterval: ({ state }) => !isRefusal(state.error) && quick,
  });

/** How one of the caller's sessions is shared. */
export const sharesQuery = (id: string) =>
  queryOptions({
    queryKey: [...sessionsKey, id, "shares"],
    queryFn: ({ signal }): Promise<Share[]> =>
      answer(api.GET("/api/v1/rf/sessions/{id}/shares", { params: { path: { id } }, signal })),
    refetchInterval: slow,
  });

/** The requests about a session: all of them for its owner, and their own for others; the newest first. */
export const requestsQuery = (id: string) =>
  queryOptions({
    queryKey: [...sessionsKey, id, "requests"],
    queryFn: ({ signal }): Promise<ShareRequest[]> =>
      answer(api.GET("/api/v1/rf/sessions/{id}/requests", { params: { path: { id } }, signal })),
    refetchInterval: ({ state }) => !isRefusal(state.error) && quick,
  });

/** The sessions that others share with the caller, the last shared first. */
export const sharedQuery = queryOptions({
  queryKey: [...sessionsKey, "shared"],
  queryFn: ({ signal }): Promise<SharedSession[]> => answer(api.GET("/api/v1/rf/sessions/shared", { signal })),
  retry: false,
  refetchOnWindowFocus: "always",
  refetchInterval: lookInterval,
});

/** The requests that the caller may answer. */
export const openRequestsQuery = queryOptions({
  queryKey: [...sessionsKey, "requests"],
  queryFn: ({ signal }): Promise<ShareRequest[]> => answer(api.GET("/api/v1/rf/sessions/requests", { signal })),
  retry: false,
  refetchOnWindowFocus: "always",
  refetchInterval: lookInterval,
});

export const share = (id: string, body: ShareWish): Promise<Share> =>
  answer(api.POST("/api/v1/rf/sessions/{id}/shares", { params: { path: { id } }, body }));

export const endShare = (id: string, one: string): Promise<boolean> =>
  answer(api.DELETE("/api/v1/rf/sessions/{id}/shares/{share}", { params: { path: { id, share: one } } }));

/** Asks the help desk for help with one's own session, or the owner of another one to be let in. */
export const ask = (id: string, kind: ShareRequest["kind"], can: ShareLevel, message: string): Promise<ShareRequest> =>
  answer(
    api.POST("/api/v1/rf/sessions/{id}/requests", {
      params: { path: { id } },
      body: { kind, can, ...(message.trim() !== "" && { message: message.trim() }) },
    }),
  );

/** Answers a request; without granting it, whoever asks takes it back. */
export const answerRequest = ({ sessionId, id }: Pick<ShareRequest, "id" | "sessionId">, body: ShareAnswer) =>
  answer(
    api.PATCH("/api/v1/rf/sessions/{id}/requests/{request}", {
      params: { path: { id: sessionId, request: id } },
      body,
    }),
  );

/** Follows a link by its secret. */
export const followLink = (link: string): Promise<SharedSession> =>
  answer(api.POST("/api/v1/rf/sessions/shared", { body: { link } }));

/** Whether a call failed because nobody is signed in. */
export const needsSignIn = (error: unknown): boolean => hasCode(error, "unauthenticated");
