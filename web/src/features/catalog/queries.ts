import { queryOptions } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import { entryKeys } from "@/api/entries";
import { firstAnswer } from "@/api/firstData";
import { hasCode } from "@/api/problem";
import type { Resource, ResourcePage } from "@/api/types";

/** The three newest entries, and how many there are of each kind. They may have come with the document. */
export function newestQuery(signedIn: boolean) {
  const path = "/api/v1/rf/resources/public";
  const query = { pageNumber: 0, pageSize: 3, sort: "newest", view: "card", facets: "types" } as const;
  return queryOptions({
    queryKey: entryKeys.newest(),
    queryFn: ({ signal }) => answer(api.GET(path, { params: { query }, signal })),
    ...firstAnswer<ResourcePage>(path, query, signedIn),
  });
}

/** One entry, which may have come with the document. A Problem of status 404 when it is absent or hidden from the caller. */
export function resourceQuery(id: string, signedIn: boolean) {
  return queryOptions({
    queryKey: entryKeys.one(id),
    queryFn: ({ signal }) => answer(api.GET("/api/v1/rf/resources/public/{id}", { params: { path: { id } }, signal })),
    ...firstAnswer<Resource>(`/api/v1/rf/resources/public/${id}`, {}, signedIn),
  });
}

/**
 * What is known of a notebook, and the address of its frame. That address is good for minutes, and another one would load
 * the frame anew: so it is asked for once for each visit. The server reads a slow source on behind, so it is asked again
 * as it says; a source that fails is not asked again by itself: a person reads why, and presses Retry.
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

/** Each waits for eight seconds at the server, which reads a source for a minute at most. */
const slowTries = 7;

/** How to cite the repository of an entry, from its citation file. */
export function citationQuery(id: string) {
  return queryOptions({
    queryKey: entryKeys.citation(id),
    queryFn: ({ signal }) =>
      answer(api.GET("/api/v1/rf/resources/public/{id}/citation", { params: { path: { id } }, signal })),
    retry: false, // that of the entry does meanwhile
    staleTime: Number.POSITIVE_INFINITY,
  });
}
