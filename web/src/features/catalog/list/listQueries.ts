import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import { entryKeys } from "@/api/entries";
import { firstAnswer } from "@/api/firstData";
import type { ResourcePage, ResourceType } from "@/api/types";
import type { Filters } from "@/features/catalog/filters";
import { sortInForce } from "@/features/catalog/sorts";
import { pageSize } from "@/lib/constants";
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

/** The parameters of the filters besides the text. */
export const filterParameters = ({ types, tags, runs = [] }: Filters) => ({
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
