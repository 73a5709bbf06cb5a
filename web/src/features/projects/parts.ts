import type { Project, Resource } from "@/api/types";
import { partsMessages as messages } from "./parts.messages";

/** The server's placeholder for an entry that is deleted or hidden, without saying which. */
export const isGone = (part: Resource): boolean => part.state === "DELETED";

/** Why a project can't be started, if so. */
export function whyNot(project: Project): string | undefined {
  const { available, published, role, offeredTo, repositoryResource, datasetResources } = project;
  if (!published && role === undefined && offeredTo !== undefined) return messages.onlyOffered;
  if (available) return undefined;
  return messages.unavailable(isGone(repositoryResource), datasetResources.filter(isGone).length);
}

/** What keeps others from starting a published project, for those who see its private parts. */
export function warning({ published, repositoryResource, datasetResources }: Project): string | undefined {
  const hidden = published
    ? [repositoryResource, ...datasetResources].filter((part) => !isGone(part) && part.privacy === "PRIVATE")
    : [];
  return hidden.length > 0 ? messages.othersCannotStart(hidden.map(({ name }) => name)) : undefined;
}
