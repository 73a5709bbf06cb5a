import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "react-router";
import { answer, api } from "@/api/client";
import { count } from "@/lib/format";
import { toast } from "@/ui/toast";
import type { ProjectDraft } from "./draft";
import { projectsKey } from "./queries";

/** Makes a project and leads to the dashboard, which shows it. */
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
      const datasets = count(datasetResources.length, "dataset", "datasets");
      toast.success("Project Created", `${name}, with ${datasets} and 1 repository.`);
      void queries.invalidateQueries({ queryKey: projectsKey });
      navigate("/sessions");
    },
    // The reason is shown at the form, where it stays.
    onError: () => toast.error("Error creating project", "Please check your input and try again."),
  });
}
