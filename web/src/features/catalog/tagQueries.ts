import { queryOptions } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import type { Filters } from "./filters";
import { filterParameters } from "./list/listQueries";

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
