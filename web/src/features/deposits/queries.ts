import { queryOptions } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import { isUnderWay } from "./deposit";
import type { Archive, Deposit } from "./shapes";

const ofEntry = "/api/v1/rf/resources/{id}/deposits";
const one = `${ofEntry}/{deposit}` as const;

/** How often deposits that servers work on are looked at, in milliseconds. */
const lookInterval = 2_000;

/** The archives, with which of them the viewer's account is connected. It's asked anew each time: people connect in between. */
export const archivesQuery = queryOptions({
  queryKey: ["archives"],
  queryFn: ({ signal }): Promise<Archive[]> => answer(api.GET("/api/v1/rf/archives", { signal })),
  staleTime: 0,
});

/** The deposits of an entry, the newest first. */
export const depositsQuery = (id: string) =>
  queryOptions({
    queryKey: ["deposits", id],
    queryFn: ({ signal }): Promise<Deposit[]> => answer(api.GET(ofEntry, { params: { path: { id } }, signal })),
    staleTime: 0,
    refetchInterval: ({ state: { data } }) => (data?.some(isUnderWay) ? lookInterval : false),
  });

/** Deposits a version of an entry; undefined: the latest. One that is there already is returned. */
export const beginDeposit = (id: string, at: string, version: number | undefined): Promise<Deposit> =>
  answer(api.POST(ofEntry, { params: { path: { id } }, body: { at, ...(version !== undefined && { version }) } }));

export const publishDeposit = (id: string, deposit: string): Promise<Deposit> =>
  answer(api.POST(`${one}/publish`, { params: { path: { id, deposit } } }));

export const retryDeposit = (id: string, deposit: string): Promise<Deposit> =>
  answer(api.POST(`${one}/retry`, { params: { path: { id, deposit } } }));

export const discardDeposit = (id: string, deposit: string) =>
  answer(api.DELETE(one, { params: { path: { id, deposit } } }));
