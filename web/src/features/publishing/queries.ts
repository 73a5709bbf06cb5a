import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import { entryKeys } from "@/api/entries";
import type { Resource, Session } from "@/api/types";
import { call, json, made, readingPatience } from "@/features/uploads/queries";
import { keptVersion } from "@/lib/keptFiles";
import type { Publication, Published, SessionContents } from "./shapes";

/** One of the caller's sessions. */
export const sessionQuery = (id: string) =>
  queryOptions({
    queryKey: ["sessions", id],
    queryFn: ({ signal }): Promise<Session> =>
      answer(api.GET("/api/v1/rf/sessions/{id}", { params: { path: { id } }, signal })),
    retry: false,
  });

/** What is in a session's work: as it is now, or some files of a version. */
export const describe = (id: string, body: { version?: string; paths?: string[] }, signal?: AbortSignal) =>
  json<SessionContents>("/sessions/{id}/publish/contents", {
    ...{ path: { id }, method: "POST", body, patience: readingPatience },
    ...(signal && { signal }),
  });

/** The session's work as it was when the page asked: only people ask again, because each time makes a version. */
export const contentsQuery = (id: string) =>
  queryOptions({
    queryKey: ["publishing", id],
    queryFn: ({ signal }) => describe(id, {}, signal),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  });

/** Publishes files of a session; without the result yet, a task that goes on. */
export const publish = async (id: string, publication: Publication) =>
  made<Published>(
    await call("/sessions/{id}/publish", {
      ...{ path: { id }, method: "POST", body: publication, patience: readingPatience },
    }),
  );

/** How many entries are offered at once. */
const offered = 100;

/** Entries of which the caller is an author, and that can have new files: those of repositories at code hosts change there. */
export const ownEntriesQuery = (email: string, text: string) =>
  queryOptions({
    queryKey: [...entryKeys.pickers, "own", email, text],
    queryFn: async ({ signal }): Promise<{ entries: Resource[]; more: boolean }> => {
      const nameSearch = `author:"${email}" ${text}`.trim();
      const query = {
        ...{ type: "DATASET,NOTEBOOK,REPOSITORY", nameSearch, pageSize: offered },
        ...({ sort: "newest", view: "card" } as const),
      };
      const found = await answer(api.GET("/api/v1/rf/resources", { params: { query }, signal }));
      const entries = found.content.filter(
        (entry) => entry.canDelete && (entry.type !== "REPOSITORY" || keptVersion(entry) !== undefined),
      );
      return { entries, more: !found.last };
    },
    placeholderData: keepPreviousData,
  });
