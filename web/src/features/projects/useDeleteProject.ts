import { type QueryKey, useMutation, useQueryClient } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import { messageOf } from "@/api/problem";
import type { Project } from "@/api/types";
import { toast } from "@/ui/toast";
import { projectsKey } from "./queries";
import { deleteMessages as messages } from "./useDeleteProject.messages";

/** The queries that are lists of projects, not one. */
export const lists = {
  queryKey: projectsKey,
  predicate: ({ queryKey }: { queryKey: QueryKey }) => queryKey[1] !== "one",
};

/** Deletes a project by its id. Its cards disappear immediately and come back if that fails. */
export function useDeleteProject() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => answer(api.DELETE("/api/v1/rf/projects/{id}", { params: { path: { id } } })),
    onMutate: async (id) => {
      await queries.cancelQueries({ queryKey: projectsKey });
      const before = queries.getQueriesData<Project[]>(lists);
      queries.setQueriesData<Project[]>(lists, (all) => all?.filter((each) => each.id !== id));
      return before;
    },
    onSuccess: () => toast.success(messages.deleted),
    onError: (error, _, before) => {
      for (const [key, projects] of before ?? []) queries.setQueryData(key, projects);
      toast.error(messages.cannotDelete, messageOf(error));
    },
    // A page of the deleted project may still be there for a moment, and mustn't ask for it again.
    onSettled: (_, error) => queries.invalidateQueries(error ? { queryKey: projectsKey } : lists),
  });
}
