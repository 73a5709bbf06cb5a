import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import type { ResourceType } from "@/api/types";
import { pageSize } from "@/lib/constants";
import { escapeTag } from "@/lib/tags";
import type { Filters } from "./filters";

/** Everything that this feature keeps from the server lies below "resources". */
export const resourceKeys = {
  all: ["resources"] as const,
  search: (filters: Filters) => ["resources", "search", filters] as const,
  kind: (type: ResourceType, text: string) => ["resources", "kind", type, text] as const,
  newest: () => ["resources", "newest"] as const,
  one: (id: string) => ["resources", "one", id] as const,
  starred: (email: string) => ["resources", "starred", email] as const,
};

/** The catalog's answer to filters, with counts. The former answer stays in sight until the next one is there. */
export function searchQuery(filters: Filters) {
  return queryOptions({
    queryKey: resourceKeys.search(filters),
    queryFn: ({ signal }) => {
      const query = {
        ...(filters.types.length > 0 && { type: filters.types.join(",") }),
        ...(filters.tags.length > 0 && { tag: filters.tags.map(escapeTag) }),
        ...(filters.text !== "" && { nameSearch: filters.text }),
        pageNumber: filters.page - 1,
        pageSize,
        view: "card",
        facets: "types,tags",
      } as const;
      return answer(api.GET("/api/v1/rf/resources/public", { params: { query }, signal }));
    },
    placeholderData: keepPreviousData,
  });
}

/** The entries of one kind whose text matches. */
export function kindQuery(type: ResourceType, text: string) {
  return queryOptions({
    queryKey: resourceKeys.kind(type, text),
    queryFn: ({ signal }) => {
      const query = { type, ...(text !== "" && { nameSearch: text }), pageNumber: 0, pageSize, view: "card" } as const;
      return answer(api.GET("/api/v1/rf/resources", { params: { query }, signal }));
    },
    placeholderData: keepPreviousData,
  });
}

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

/** One entry. A Problem of status 404 when it is absent or hidden from the caller. */
export function resourceQuery(id: string) {
  return queryOptions({
    queryKey: resourceKeys.one(id),
    queryFn: ({ signal }) => answer(api.GET("/api/v1/rf/resources/public/{id}", { params: { path: { id } }, signal })),
  });
}

/** The caller's starred entries, the newest star first. */
export function starredQuery(email: string) {
  return queryOptions({
    queryKey: resourceKeys.starred(email),
    queryFn: ({ signal }) =>
      answer(api.GET("/api/v1/rf/resources/{email}/stars", { params: { path: { email } }, signal })),
  });
}
