import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { entryKeys } from "@/api/entries";
import { useAccount } from "@/features/identity/useAccount";
import { withDeposit } from "./deposit";
import { archivesQuery, depositsQuery } from "./queries";
import type { Deposit } from "./shapes";

/** The archives, and the deposits of an entry there; neither while the viewer's account waits to be enabled. */
export function useDeposits(id: string) {
  const enabled = useAccount().data?.enabled === true;
  const archives = useQuery({ ...archivesQuery, enabled });
  const deposits = useQuery({ ...depositsQuery(id), enabled });
  return { archives, deposits };
}

/** What changes the list of an entry's deposits before the server is asked again. */
export function useDepositList(id: string) {
  const client = useQueryClient();
  const { queryKey } = depositsQuery(id);
  const set = (change: (list: Deposit[]) => Deposit[]) => {
    // An answer from before the change would undo it.
    void client.cancelQueries({ queryKey });
    client.setQueryData<Deposit[]>(queryKey, (list) => change(list ?? []));
    void client.invalidateQueries({ queryKey });
  };
  return {
    put: (deposit: Deposit) => set((list) => withDeposit(list, deposit)),
    remove: (gone: string) => set((list) => list.filter((one) => one.id !== gone)),
    refresh: () => void client.invalidateQueries({ queryKey }),
  };
}

/** Asks for an entry and its versions again as soon as another deposit of it is published: they have its DOI. */
export function useFreshDois(deposits: Deposit[] | undefined): void {
  const client = useQueryClient();
  const seen = useRef<number>(undefined);
  const published = deposits?.filter(({ state }) => state === "PUBLISHED").length;
  useEffect(() => {
    if (published === undefined) return;
    if (seen.current !== undefined && published > seen.current) {
      void client.invalidateQueries({ queryKey: entryKeys.all });
    }
    seen.current = published;
  }, [client, published]);
}

/** The id of the element that shows a deposit. */
export const placeOf = (deposit: string): string => `deposit-${deposit}`;

/** Brings somebody to a deposit once the dialog is closed, which gives the focus back to a button that may be gone. */
export function focusDeposit({ id }: Deposit): void {
  setTimeout(() => {
    const place = document.getElementById(placeOf(id));
    place?.scrollIntoView({ block: "nearest" });
    place?.focus({ preventScroll: true });
  });
}
