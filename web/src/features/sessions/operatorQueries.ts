import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import type { OperatorSession, OperatorSessionPage } from "@/api/types";
import { pageSize } from "@/lib/constants";
import type { OperatorFilters } from "./operatorFilters";

const operatorSessionsKey = ["operator", "sessions"] as const;

/** The sessions of everybody that match, in their order. For operators. */
export function operatorSessionsQuery({ search, show, sort, page }: OperatorFilters) {
  const query = {
    ...(show === "live" && { live: true }),
    ...(show === "ERROR" && { status: show }),
    ...(search.trim() !== "" && { q: search.trim() }),
    ...(sort !== "newest" && { sort }),
    pageNumber: page - 1,
    pageSize,
  };
  return queryOptions({
    queryKey: [...operatorSessionsKey, query],
    queryFn: ({ signal }): Promise<OperatorSessionPage> =>
      answer(api.GET("/api/v1/rf/operator/sessions", { params: { query }, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: 10_000,
  });
}

/** Stops somebody's session for a reason that its owner reads. */
export function useStopSession() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ id, reason }: { id: string; reason: string }): Promise<OperatorSession> =>
      answer(
        api.PATCH("/api/v1/rf/operator/sessions/{id}", {
          params: { path: { id }, query: { status: "TERMINATED" } },
          body: { reason },
        }),
      ),
    onSettled: () => queries.invalidateQueries({ queryKey: operatorSessionsKey }),
  });
}
