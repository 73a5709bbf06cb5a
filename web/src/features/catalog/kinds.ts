import type { Resource, ResourceType } from "@/api/types";
import type { IconName } from "@/ui/Icon";
import type { Tone } from "@/ui/tone";
import { kindMessages } from "./kinds.messages";

interface Kind {
  label: string;
  plural: string;
  /** The part of addresses between /resources/ and the id, and the name of the list page. */
  path: string;
  tone: Tone;
  icon: IconName;
  /** The query parameter for it in the new project form; absent if projects can't contain the kind. */
  projectParameter?: string;
}

/** What the page knows about each kind of resource. A new kind doesn't compile until it has a row here. */
export const kinds: Record<ResourceType, Kind> = {
  REPOSITORY: {
    ...kindMessages.REPOSITORY,
    path: "repositories",
    icon: "branch",
    projectParameter: "repositoryId",
  },
  NOTEBOOK: {
    ...kindMessages.NOTEBOOK,
    path: "notebooks",
    icon: "book",
  },
  DATASET: {
    ...kindMessages.DATASET,
    path: "datasets",
    icon: "database",
    projectParameter: "datasetIds",
  },
  MODEL: {
    ...kindMessages.MODEL,
    path: "models",
    icon: "cube",
  },
};

/** The kinds in the order in which the page shows them. */
export const resourceTypes = Object.keys(kinds) as ResourceType[];

const other: Kind = {
  ...kindMessages.OTHER,
  path: "others",
  icon: "folder",
};

/** Returns the kind of a resource. A type that only a newer server knows is shown in gray. */
export function kindOf(type: string): Kind {
  return isResourceType(type) ? kinds[type] : other;
}

export function isResourceType(type: string): type is ResourceType {
  return Object.hasOwn(kinds, type);
}

/** The address of a resource's page. `from` is the query of the catalog page that leads there. */
export function resourcePath(resource: { id: string; type: string }, from?: string): string {
  const query = from ? `?${new URLSearchParams({ from })}` : "";
  return `/resources/${kindOf(resource.type).path}/${resource.id}${query}`;
}

/**
 * Returns the address of the new project form with a resource, or with the repository that contains a notebook; undefined
 * if a project can't contain either.
 */
export function projectPath({
  id,
  type,
  repositoryId,
}: Pick<Resource, "id" | "type" | "repositoryId">): string | undefined {
  if (repositoryId) return `/add/project?${kinds.REPOSITORY.projectParameter}=${repositoryId}`;
  const parameter = kindOf(type).projectParameter;
  return parameter && `/add/project?${parameter}=${id}`;
}
