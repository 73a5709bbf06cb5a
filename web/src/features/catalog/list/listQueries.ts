import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import { entryKeys } from "@/api/entries";
import { firstAnswer } from "@/api/firstData";
import type { Resource, ResourcePage, ResourceType } from "@/api/types";
import type { Filters } from "@/features/catalog/filters";
import { sortInForce } from "@/features/catalog/sorts";
import { cardLength, pageSize } from "@/lib/constants";
import { plainText } from "@/lib/plainText";
import { escapeTag } from "@/lib/tags";

/** The options of both list queries. */
const listParameters = ({ text, sort, page }: Filters) => {
  const order = sortInForce({ sort, text });
  return {
    ...(text !== "" && { nameSearch: text, highlight: true }),
    ...(order !== "relevance" && { sort: order }),
    pageNumber: page - 1,
    pageSize,
    view: "card",
  } as const;
};

const filterParameters = ({ types, tags, runs = [] }: Filters) => ({
  ...(types.length > 0 && { type: types.join(",") }),
  ...(tags.length > 0 && { tag: tags.map(escapeTag) }),
  ...(runs.length > 0 && { runs: runs.join(",") }),
});

/**
 * The entries that match the filters, with counts. The previous answer shows until the next one arrives; the first one may
 * be in the document.
 */
export function searchQuery(filters: Filters, signedIn: boolean) {
  const path = "/api/v1/rf/resources/public";
  const query = { ...filterParameters(filters), ...listParameters(filters), facets: "types,tags,runs" } as const;
  return queryOptions({
    queryKey: entryKeys.search(filters),
    queryFn: ({ signal }) => answer(api.GET(path, { params: { query }, signal })),
    placeholderData: keepPreviousData,
    ...firstAnswer<ResourcePage>(path, query, signedIn),
  });
}

/** The entries of one kind whose text matches. */
export function kindQuery(type: ResourceType, filters: Filters, signedIn: boolean) {
  const path = "/api/v1/rf/resources";
  const query = { type, ...listParameters(filters) } as const;
  return queryOptions({
    queryKey: entryKeys.kind(type, filters),
    queryFn: ({ signal }) => answer(api.GET(path, { params: { query }, signal })),
    placeholderData: keepPreviousData,
    ...firstAnswer<ResourcePage>(path, query, signedIn),
  });
}

/** The tags that contain a text, of the entries that match the filters, with how many of these have them too. */
export function matchingTagsQuery({ text, ...filters }: Filters, part: string) {
  const query = {
    ...filterParameters({ text, ...filters }),
    ...(text !== "" && { nameSearch: text }),
    pageSize: 1,
    view: "card",
    facets: "types,tags",
    facetText: part,
  } as const;
  return queryOptions({
    queryKey: ["tags", "matching", query],
    queryFn: ({ signal }) => answer(api.GET("/api/v1/rf/resources/public", { params: { query }, signal })),
    select: ({ facets }) => facets?.tags ?? [],
  });
}

/** All tags of the entries that the caller may see, by value. */
export function tagsQuery() {
  return queryOptions({
    queryKey: ["tags"],
    queryFn: ({ signal }) => answer(api.GET("/api/v1/rf/resources/public/tags/all", { signal })),
  });
}

/** The caller's starred entries, newest star first. */
export function starredQuery(email: string) {
  return queryOptions({
    queryKey: entryKeys.starred(email),
    queryFn: async ({ signal }): Promise<Resource[]> => {
      const path = { email };
      const list = await answer(api.GET("/api/v1/rf/resources/{email}/stars", { params: { path }, signal }));
      return list.map((each) => ({ ...each, description: plainText(each.description, cardLength) }));
    },
  });
}
