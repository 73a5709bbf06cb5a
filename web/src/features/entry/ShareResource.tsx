import { useConfig } from "@/api/config";
import type { Resource } from "@/api/types";
import { kindOf, resourcePath } from "@/features/catalog/kinds";
import { ShareDialog } from "@/ui/ShareDialog";
import { shareResourceMessages as messages } from "./ShareResource.messages";

/** Links to an entry, and to what runs it. */
export function ShareResource({ resource, onClose }: { resource: Resource; onClose: () => void }) {
  const { id, type, privacy, hidden, runnable, repositoryUrl, notebookSource } = resource;
  const { product } = useConfig();
  return (
    <ShareDialog
      title={messages.title(kindOf(type).label)}
      product={product}
      thing={{
        id,
        page: resourcePath(resource),
        runnable: runnable === true,
        hasBadge: privacy === "PUBLIC" && !hidden,
        isPrivate: privacy === "PRIVATE",
        source: repositoryUrl ?? notebookSource,
        hasFiles: type === "REPOSITORY",
      }}
      onClose={onClose}
    />
  );
}
