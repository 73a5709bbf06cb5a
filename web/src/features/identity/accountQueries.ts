import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import type { Person, PersonPage } from "@/api/types";
import { pageSize } from "@/lib/constants";
import { type Change, changes } from "./accountChanges";
import type { AccountFilters } from "./accountFilters";
import { accountsKey } from "./useAccount";

/** The accounts that match, those who wait first. For operators. */
export function peopleQuery({ search, waiting, page }: AccountFilters) {
  const query = {
    ...(search.trim() !== "" && { search: search.trim() }),
    ...(waiting && { waiting }),
    pageNumber: page - 1,
    pageSize,
  };
  return queryOptions({
    queryKey: [...accountsKey, "people", query],
    queryFn: ({ signal }): Promise<PersonPage> => answer(api.GET("/api/v1/rf/accounts", { params: { query }, signal })),
    placeholderData: keepPreviousData,
  });
}

/** Decides about an account, also one that never signed in. */
export function decide(email: string, change: Change): Promise<Person> {
  return answer(
    api.PATCH("/api/v1/rf/accounts/{email}", { params: { path: { email } }, body: changes[change].decision }),
  );
}
