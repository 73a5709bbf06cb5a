import { queryOptions } from "@tanstack/react-query";
import { answer, api } from "@/api/client";

/** What the program is made of. It stays the same as long as the server does. */
export const licensesQuery = queryOptions({
  queryKey: ["licenses"],
  queryFn: ({ signal }) => answer(api.GET("/api/v1/rf/licenses", { signal })),
  staleTime: Number.POSITIVE_INFINITY,
});
