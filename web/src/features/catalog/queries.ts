import { queryOptions } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import { entryKeys } from "@/api/entries";
import { firstAnswer } from "@/api/firstData";
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

/**
 * One entry, or what it was in a version, which may be in the document. Fails with a Problem of status 404 if it is absent or
 * hidden from the caller, and of 410 if the version was withdrawn.
 */
export function resourceQuery(id: string, signedIn: boolean, version?: string) {
  const query = version ? { version } : {};
  const params = { path: { id }, query } as { path: { id: string } };
  return queryOptions({
    queryKey: [...entryKeys.one(id), ...Object.values(query)],
    queryFn: ({ signal }) => answer(api.GET("/api/v1/rf/resources/public/{id}", { params, signal })),
    ...firstAnswer<Resource>(`/api/v1/rf/resources/public/${id}`, query, signedIn),
  });
}
