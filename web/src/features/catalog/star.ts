import type { MutationOptions, QueryClient, QueryKey } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import { entryKeys } from "@/api/entries";
import { patchEntry } from "@/api/patchEntry";
import { messageOf } from "@/api/problem";
import type { Resource } from "@/api/types";
import { toast } from "@/ui/toast";
import { starMessages } from "./useStar.messages";

const mutationKey = ["star"];

type Lists = [QueryKey, Resource[] | undefined][];

/** Stars or unstars an entry, unless the answer to that is still awaited. */
export function star(client: QueryClient, id: string, wanted: boolean): void {
  const mutation = starMutation(client, id);
  if (client.isMutating({ mutationKey: [...mutationKey, id] }) > 0) return;
  // Its own handlers tell of failures.
  void client
    .getMutationCache()
    .build(client, mutation)
    .execute(wanted)
    .catch(() => {});
}

/**
 * Stars or unstars an entry. The change shows immediately everywhere, without refetching lists, and is rolled back if the
 * server refuses.
 */
export function starMutation(client: QueryClient, id: string): MutationOptions<boolean, Error, boolean, Lists> {
  return {
    mutationKey: [...mutationKey, id],
    mutationFn: (wanted) => {
      const call = { params: { path: { id } } };
      return answer(
        wanted ? api.PUT("/api/v1/rf/resources/{id}/star", call) : api.DELETE("/api/v1/rf/resources/{id}/star", call),
      );
    },
    onMutate: async (wanted) => {
      // A request in flight may have been answered before the star and would undo it on the screen, so it is repeated later.
      const interrupted = client.getQueryCache().findAll({ queryKey: entryKeys.all, fetchStatus: "fetching" });
      await client.cancelQueries({ queryKey: entryKeys.all });
      const lists = client.getQueriesData<Resource[]>({ queryKey: entryKeys.lists });
      showStar(client, id, wanted);
      for (const query of interrupted) query.invalidate();
      return lists;
    },
    onError: (error, wanted, lists) => {
      showStar(client, id, !wanted);
      for (const [key, list] of lists ?? []) client.setQueryData(key, list);
      toast.error(starMessages.failure, messageOf(error));
    },
    onSuccess: (_answer, wanted) => toast.success(wanted ? starMessages.starred : starMessages.unstarred),
    onSettled: (_answer, _error, wanted) => {
      // An answer between two clicks would briefly undo the second one.
      if (client.isMutating({ mutationKey }) > 1) return;
      void client.refetchQueries({
        queryKey: entryKeys.all,
        type: "active",
        predicate: ({ state }) => state.isInvalidated,
      });
      // Only the server knows the position of a new star, so its page can't be updated here.
      if (wanted) void client.invalidateQueries({ queryKey: entryKeys.lists, refetchType: "none" });
    },
  };
}

/** Updates a star in all cached data; an unstarred entry is removed from the list of starred ones. */
function showStar(client: QueryClient, id: string, starred: boolean) {
  patchEntry(client, id, (entry) =>
    (entry.starred ?? false) === starred
      ? entry
      : { ...entry, starred, starCount: entry.starCount + (starred ? 1 : -1) },
  );
  if (starred) return;
  client.setQueriesData<Resource[]>({ queryKey: entryKeys.lists }, (list) => list?.filter((each) => each.id !== id));
}
