import { type QueryClient, useMutation, useQueryClient } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import { entryKeys, patchEntry } from "@/api/entries";
import { messageOf } from "@/api/problem";
import type { Resource } from "@/api/types";
import { useAuth } from "@/features/identity/useAuth";
import { loginPath } from "@/lib/links";
import { useLocation, useNavigate } from "@/ui/router";
import { toast } from "@/ui/toast";
import { starMessages } from "./messages";

const mutationKey = ["star"];

/**
 * Stars and unstars an entry. It shows at once wherever the entry is shown and is taken back when the server refuses.
 * Who is not signed in is led through the login.
 */
export function useStar(resource: Resource) {
  const client = useQueryClient();
  const { state } = useAuth();
  const navigate = useNavigate();
  const here = useLocation();
  const { id, starred = false } = resource;

  const { mutate, isPending } = useMutation({
    mutationKey,
    mutationFn: (wanted: boolean) => {
      const call = { params: { path: { id } } };
      return answer(
        wanted ? api.PUT("/api/v1/rf/resources/{id}/star", call) : api.DELETE("/api/v1/rf/resources/{id}/star", call),
      );
    },
    onMutate: async (wanted) => {
      await client.cancelQueries({ queryKey: entryKeys.all });
      const lists = client.getQueriesData({ queryKey: entryKeys.lists });
      showStar(client, id, wanted);
      return { lists };
    },
    onError: (error, wanted, before) => {
      showStar(client, id, !wanted);
      for (const [key, list] of before?.lists ?? []) client.setQueryData(key, list);
      toast.error(starMessages.failure, messageOf(error));
    },
    onSuccess: (_answer, wanted) => toast.success(wanted ? starMessages.starred : starMessages.unstarred),
    onSettled: () => {
      // An answer from between two stars would show the second one undone for a moment.
      if (client.isMutating({ mutationKey }) === 1) void client.invalidateQueries({ queryKey: entryKeys.all });
    },
  });

  const toggle = () => {
    if (state === "authenticated") {
      if (!isPending) mutate(!starred);
      return;
    }
    navigate(loginPath(here));
  };
  return { starred, toggle, label: starred ? starMessages.unstar : starMessages.star };
}

/** Shows a star set or removed in all that is kept; what is unstarred leaves the list of the starred. */
function showStar(client: QueryClient, id: string, starred: boolean) {
  patchEntry(client, id, (entry) =>
    (entry.starred ?? false) === starred
      ? entry
      : { ...entry, starred, starCount: entry.starCount + (starred ? 1 : -1) },
  );
  if (starred) return;
  client.setQueriesData<Resource[]>({ queryKey: entryKeys.lists }, (list) => list?.filter((each) => each.id !== id));
}
