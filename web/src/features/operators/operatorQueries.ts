import { queryOptions } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import type { Health, Overview } from "@/api/types";

/** What the server does. For operators. */
export const overviewQuery = queryOptions({
  queryKey: ["operator", "overview"],
  queryFn: ({ signal }): Promise<Overview> => answer(api.GET("/api/v1/rf/operator/overview", { signal })),
  refetchInterval: 10_000,
});

/** Whether the server is well. For operators. */
export const healthQuery = queryOptions({
  queryKey: ["operator", "health"],
  queryFn: ({ signal }): Promise<Health> => answer(api.GET("/api/v1/rf/operator/health", { signal })),
  refetchInterval: 30_000,
});
