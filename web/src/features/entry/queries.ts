import { queryOptions } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import { entryKeys } from "@/api/entries";
import { hasCode } from "@/api/problem";
import { ofVersion, type Version } from "@/api/version";

/**
 * A notebook's facts, and the address of its frame. The address expires within minutes, and a new one would reload the
 * frame, so it is fetched once a visit. While the server is still reading a slow source, the query is repeated as it asks;
 * a failed source isn't retried automatically, but with the Retry button.
 */
export function notebookQuery(id: string, version: Version) {
  return queryOptions({
    queryKey: ["notebooks", id, version],
    queryFn: ({ signal }) =>
      answer(api.GET("/api/v1/rf/resources/public/{id}/notebook", { params: ofVersion(id, version), signal })),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: (failures, error) => failures < slowTries && hasCode(error, "source_reading"),
  });
}

/** The server holds each request for eight seconds, and reads a source for a minute at most. */
const slowTries = 7;

/** How to cite an entry, in every format. */
export function citationQuery(id: string, version: Version) {
  return queryOptions({
    queryKey: [...entryKeys.citation(id), version],
    queryFn: ({ signal }) =>
      answer(api.GET("/api/v1/rf/resources/public/{id}/citation", { params: ofVersion(id, version), signal })),
  });
}
