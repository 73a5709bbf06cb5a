import { useMutation, useQueryClient } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import { useNavigate } from "@/ui/router";
import { toast } from "@/ui/toast";
import { createMessages as messages } from "./create.messages";
import type { ProjectDraft } from "./draft";
import { projectsKey } from "./queries";

/** Creates a project and navigates to the dashboard, which shows it. */
export function useCreateProject(ownerId: string) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: ({ name, repository, datasets, published }: ProjectDraft) => {
      const body = {
        name: name.trim(),
        ownerId,
        repositoryId: repository?.id ?? "",
        datasetIds: datasets.map(({ id }) => id),
        published,
      };
      return answer(api.POST("/api/v1/rf/projects", { body }));
    },
    onSuccess: ({ name, datasetResources }) => {
      toast.success(messages.created, messages.createdWith(name, datasetResources.length));
      void queries.invalidateQueries({ queryKey: projectsKey });
      navigate("/sessions");
    },
    // The form shows the reason.
    onError: () => toast.error(messages.cannotCreate, messages.checkInput),
  });
}
