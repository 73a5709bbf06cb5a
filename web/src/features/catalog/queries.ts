import { queryOptions } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import { firstAnswer } from "@/api/firstData";
import type { Resource, ResourceType } from "@/api/types";
import type { Filters } from "./filters";

/** Everything that this feature keeps of entries from the server lies below "resources". */
export const resourceKeys = {
  all: ["resources"] as const,
  search: (filters: Filters) => ["resources", "search", filters] as const,
  kind: (type: ResourceType, filters: Filters) => ["resources", "kind", type, filters] as const,
  newest: () => ["resources", "newest"] as const,
  one: (id: string) => ["resources", "one", id] as const,
  allStarred: () => ["resources", "starred"] as const,
  starred: (email: string) => [...resourceKeys.allStarred(), email] as const,
};

/** The three newest entries, and how many there are of each kind. */
export function newestQuery() {
  return queryOptions({
    queryKey: resourceKeys.newest(),
    queryFn: ({ signal }) => {
      const query = { pageNumber: 0, pageSize: 3, sort: "newest", view: "card", facets: "types" } as const;
      return answer(api.GET("/api/v1/rf/resources/public", { params: { query }, signal }));
    },
  });
}

/** One entry, which may have come with the document. A Problem of status 404 when it is absent or hidden from the caller. */
export function resourceQuery(id: string, signedIn: boolean) {
  return queryOptions({
    queryKey: resourceKeys.one(id),
    queryFn: ({ signal }) => answer(api.GET("/api/v1/rf/resources/public/{id}", { params: { path: { id } }, signal })),
    ...firstAnswer<Resource>(`/api/v1/rf/resources/public/${id}`, {}, signedIn),
  });
}
