import { queryOptions } from "@tanstack/react-query";
import { addressOf } from "@/api/client";
import { entryKeys } from "@/api/entries";
import { transport } from "@/api/transport";
import type { EntryVersionList } from "./shapes";

/** The prefix of all queries about the versions of an entry. */
export const versionsKey = (id: string) => [...entryKeys.all, "versions", id];

/** The versions of an entry. Fails with a Problem of status 404 if this server knows none. */
export const versionsQuery = (id: string) =>
  queryOptions({
    queryKey: versionsKey(id),
    queryFn: async ({ signal }): Promise<EntryVersionList> => {
      const address = addressOf("/api/v1/rf/resources/public/{id}/versions", { path: { id } });
      return (await transport(new Request(address, { signal }))).json();
    },
  });
