import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { Person, PersonPage } from "@/api/types";
import { toast } from "@/ui/toast";
import { type Change, changes } from "./accountChanges";
import { decide } from "./accountQueries";
import { accountsKey } from "./useAccount";

interface Decided {
  email: string;
  change: Change;
}

/** Sends a decision and updates the account wherever it is shown. The caller reports failures. */
export function useDecide() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ email, change }: Decided) => decide(email, change),
    onSuccess: (person: Person, { change }) => {
      toast.success(changes[change].done, person.email);
      queries.setQueriesData<PersonPage>({ queryKey: [...accountsKey, "people"] }, (page) =>
        page ? { ...page, content: page.content.map((each) => (each.email === person.email ? person : each)) } : page,
      );
    },
    onSettled: () => queries.invalidateQueries({ queryKey: accountsKey }),
  });
}
