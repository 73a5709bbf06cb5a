import { useMutation, useQueryClient } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import type { Project } from "@/api/types";
import { useNavigate } from "@/ui/router";
import { toast } from "@/ui/toast";
import { changeOf, type ProjectDraft } from "./draft";
import { projectPath } from "./projectPath";
import { projectQuery, projectsKey } from "./queries";
import { saveMessages as messages } from "./save.messages";

/** Creates a project and navigates to the dashboard, which shows it; or changes the given one and navigates to its page. */
export function useSaveProject(ownerId: string, project?: Project) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: (draft: ProjectDraft) => {
      if (project) {
        const body = changeOf(project, draft);
        return answer(api.PATCH("/api/v1/rf/projects/{id}", { params: { path: { id: project.id } }, body }));
      }
      const { name, repository, datasets, published } = draft;
      const body = {
        name: name.trim(),
        ownerId,
        repositoryId: repository?.id ?? "",
        datasetIds: datasets.map(({ id }) => id),
        published,
      };
      return answer(api.POST("/api/v1/rf/projects", { body }));
    },
    onSuccess: (saved) => {
      const { id, name, datasetResources } = saved;
      queries.setQueryData(projectQuery(id).queryKey, saved);
      void queries.invalidateQueries({ queryKey: projectsKey });
      if (project) {
        toast.success(messages.saved, name);
        navigate(projectPath(saved), { replace: true });
        return;
      }
      const show = { label: messages.show, onSelect: () => navigate(projectPath(saved)) };
      toast.success(messages.created, messages.createdWith(name, datasetResources.length), show);
      navigate("/sessions");
    },
    // The form shows the reason.
    onError: () =>
      project
        ? toast.error(messages.cannotSave, messages.kept)
        : toast.error(messages.cannotCreate, messages.checkInput),
  });
}
