import { useConfig } from "@/api/config";
import type { Project } from "@/api/types";
import { ShareDialog } from "@/ui/ShareDialog";
import { projectPath } from "./projectPath";
import { shareProjectMessages as messages } from "./ShareProject.messages";

/** Links to a published project, and to what runs it. */
export function ShareProject({ project, onClose }: { project: Project; onClose: () => void }) {
  const { id, available, repositoryResource } = project;
  const { product } = useConfig();
  return (
    <ShareDialog
      title={messages.title}
      product={product}
      thing={{
        id,
        page: projectPath(project),
        runnable: available,
        isPrivate: false,
        source: repositoryResource.repositoryUrl,
        hasFiles: true,
      }}
      onClose={onClose}
    />
  );
}
