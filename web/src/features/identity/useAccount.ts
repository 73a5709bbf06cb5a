import { queryOptions, useQuery } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import type { Account } from "@/api/types";
import { useAuth } from "./useAuth";

const lookAgain = 60_000;

/** The query keys of accounts begin with "accounts". */
export const accountsKey = ["accounts"] as const;

/** Milliseconds until the next refetch; false unless the user waits to be enabled, or is an operator others wait for. */
export function accountInterval(account: Account | undefined): number | false {
  return account && (account.operator || !account.enabled) ? lookAgain : false;
}

const accountQuery = queryOptions({
  queryKey: [...accountsKey, "me"],
  queryFn: ({ signal }): Promise<Account> => answer(api.GET("/api/v1/rf/accounts/me", { signal })),
  refetchInterval: ({ state }) => accountInterval(state.status === "error" ? undefined : state.data),
});

/** What the server knows about the signed-in person: whether they may start sessions, and decide about others. */
export function useAccount() {
  const { state } = useAuth();
  return useQuery({ ...accountQuery, enabled: state === "authenticated" });
}
