import { useMutation, useQueryClient } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import { connectionsKey } from "@/api/connections";
import { entryKeys } from "@/api/entries";
import type { BegunConnection, Connection, RemovedConnection } from "@/api/types";

const path = "/api/v1/rf/account/connections/{host}";

const ofHost = (host: string) => ({ path: { host } });

/** Returns the address at a code host to which the browser is sent, so that its owner lets this server in. */
export async function beginConnection(host: string): Promise<string> {
  const begun = await answer(api.POST(path, { params: ofHost(host), body: {} }));
  return (begun as BegunConnection).url;
}

/** Turns what the browser came back with into a connection that waits to be kept. Each code is good once. */
export async function finishConnection(host: string, code: string, state: string): Promise<void> {
  await answer(api.POST(path, { params: ofHost(host), body: { code, state } }));
}

/** Adds a personal token, which waits to be kept. Nothing of it stays in this page. */
export function useAddToken(host: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (token: string) => {
      await answer(api.POST(path, { params: ofHost(host), body: { token } }));
    },
    onSuccess: () => void queries.invalidateQueries({ queryKey: connectionsKey }),
    gcTime: 0,
  });
}

/** Keeps the connection that waits, in the place of an earlier one. */
export function useKeepConnection(host: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (): Promise<Connection> => answer(api.PUT(path, { params: ofHost(host), body: { keep: true } })),
    onSettled: () => {
      void queries.invalidateQueries({ queryKey: connectionsKey });
      // Entries may be open that were closed.
      void queries.invalidateQueries({ queryKey: entryKeys.all });
    },
  });
}

/** Forgets the viewer's connections with a host, also one that waits. */
export function useRemoveConnection(host: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (): Promise<RemovedConnection> => answer(api.DELETE(path, { params: ofHost(host) })),
    onSettled: () => {
      void queries.invalidateQueries({ queryKey: connectionsKey });
      void queries.invalidateQueries({ queryKey: entryKeys.all });
    },
  });
}
