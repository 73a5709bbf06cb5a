import { queryOptions } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import { entryKeys } from "@/api/entries";
import { firstAnswer } from "@/api/firstData";
import type { CreditedPage } from "@/api/types";
import { pageSize } from "@/lib/constants";

/** Somebody whom entries credit, and a page of these, which may be in the document. */
export function personQuery(id: string, page: number, signedIn: boolean) {
  const query = { pageNumber: page - 1, pageSize, view: "card" } as const;
  return queryOptions({
    queryKey: entryKeys.person(id, page),
    queryFn: ({ signal }) => answer(api.GET("/api/v1/rf/people/{id}", { params: { path: { id }, query }, signal })),
    ...firstAnswer<CreditedPage>(`/api/v1/rf/people/${encodeURIComponent(id)}`, query, signedIn),
  });
}
