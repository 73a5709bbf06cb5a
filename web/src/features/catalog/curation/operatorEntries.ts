import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import { entryKeys } from "@/api/entries";
import type { OperatorEntryPage } from "@/api/types";
import { pageSize } from "@/lib/constants";
import { operatorEntriesKey } from "./curate";
import type { EntryFilters } from "./entryFilters";

/** Entries for operators, newest first. */
export function operatorEntriesQuery({ search, state, page }: EntryFilters) {
  const query = { ...(search.trim() !== "" && { q: search }), ...(state && { state }), pageNumber: page - 1, pageSize };
  return queryOptions({
    queryKey: [...operatorEntriesKey, query],
    queryFn: ({ signal }): Promise<OperatorEntryPage> =>
      answer(api.GET("/api/v1/rf/operator/entries", { params: { query }, signal })),
    placeholderData: keepPreviousData,
  });
}

/** The median of how well others can find and reuse the public entries. The server counts it again after an hour. */
export const medianScoreQuery = queryOptions({
  queryKey: ["operator", "fair"],
  queryFn: ({ signal }) => answer(api.GET("/api/v1/rf/operator/fair", { signal })),
  staleTime: Number.POSITIVE_INFINITY,
  retry: false,
});

/** Dismisses the reports of an entry, or deletes a hidden one forever. */
export function useEntryEnd(id: string, end: "reports" | "entry") {
  const client = useQueryClient();
  const params = { params: { path: { id } } };
  return useMutation({
    mutationFn: () =>
      end === "reports"
        ? answer(api.DELETE("/api/v1/rf/operator/entries/{id}/reports", params))
        : answer(api.DELETE("/api/v1/rf/operator/entries/{id}", params)),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: operatorEntriesKey });
      void client.invalidateQueries({ queryKey: entryKeys.all });
    },
  });
}
