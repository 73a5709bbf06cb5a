import { queryOptions } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import { entryKeys } from "@/api/entries";
import { firstAnswer } from "@/api/firstData";
import { hasCode } from "@/api/problem";
import type { Resource, ResourcePage } from "@/api/types";

/** The entries of the landing page and the counts of each kind, which may be in the document. */
export function landingQuery(signedIn: boolean) {
  const path = "/api/v1/rf/resources/landing";
  return queryOptions({
    queryKey: entryKeys.landing(),
    queryFn: ({ signal }) => answer(api.GET(path, { signal })),
    ...firstAnswer<ResourcePage>(path, {}, signedIn),
  });
}

/** One entry, which may be in the document. Fails with a Problem of status 404 if it is absent or hidden from the caller. */
export function resourceQuery(id: string, signedIn: boolean) {
  return queryOptions({
    queryKey: entryKeys.one(id),
    queryFn: ({ signal }) => answer(api.GET("/api/v1/rf/resources/public/{id}", { params: { path: { id } }, signal })),
    ...firstAnswer<Resource>(`/api/v1/rf/resources/public/${id}`, {}, signedIn),
  });
}

/**
 * A notebook's facts, and the address of its frame. The address expires within minutes, and a new one would reload the
 * frame, so it is fetched once a visit. While the server is still reading a slow source, the query is repeated as it asks;
 * a failed source isn't retried automatically, but with the Retry button.
 */
export function notebookQuery(id: string) {
  return queryOptions({
    queryKey: ["notebooks", id],
    queryFn: ({ signal }) =>
      answer(api.GET("/api/v1/rf/resources/public/{id}/notebook", { params: { path: { id } }, signal })),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: (failures, error) => failures < slowTries && hasCode(error, "source_reading"),
  });
}

/** The server holds each request for eight seconds, and reads a source for a minute at most. */
const slowTries = 7;

/** How to cite an entry, in every format. */
export function citationQuery(id: string) {
  return queryOptions({
    queryKey: entryKeys.citation(id),
    queryFn: ({ signal }) =>
      answer(api.GET("/api/v1/rf/resources/public/{id}/citation", { params: { path: { id } }, signal })),
  });
}
