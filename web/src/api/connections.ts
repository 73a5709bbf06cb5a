import { queryOptions } from "@tanstack/react-query";
import { answer, api } from "./client";
import type { ConnectedHost } from "./types";

export const connectionsKey = ["account", "connections"] as const;

/** The code hosts at which accounts can be connected, with the viewer's connections, without their tokens. */
export const connectionsQuery = queryOptions({
  queryKey: connectionsKey,
  queryFn: async ({ signal }): Promise<ConnectedHost[]> =>
    (await answer(api.GET("/api/v1/rf/account/connections", { signal }))).content,
});
