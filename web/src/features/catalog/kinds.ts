import type { Resource, ResourceType } from "@/api/types";
import type { IconName } from "@/ui/Icon";
import type { Tone } from "@/ui/tone";

interface Kind {
  label: string;
  plural: string;
  /** The part of addresses between /resources/ and the id, and the name of the list page. */
  path: string;
  tone: Tone;
  icon: IconName;
  description: string;
  /** The parameter by which the form of a new project takes one; absent where projects have none of the kind. */
  projectParameter?: string;
}

/** What the page knows about each kind of resource. A new kind does not compile until it has its row here. */
export const kinds: Record<ResourceType, Kind> = {
  REPOSITORY: {
    label: "Repository",
    plural: "Repositories",
    path: "repositories",
    tone: "red",
    icon: "branch",
    description: "Code with its history, ready to be opened in a session or cloned to your own machine.",
    projectParameter: "repositoryId",
  },
  NOTEBOOK: {
    label: "Notebook",
    plural: "Notebooks",
    path: "notebooks",
    tone: "blue",
    icon: "book",
    description: "Worked examples in text, code and pictures, to read here or to run in a session.",
  },
  DATASET: {
    label: "Dataset",
    plural: "Datasets",
    path: "datasets",
    tone: "green",
    icon: "database",
    description: "Data that sessions can read, local or remote, without a copy of your own.",
    projectParameter: "datasetIds",
  },
  MODEL: {
    label: "Model",
    plural: "Models",
    path: "models",
    tone: "purple",
    icon: "cube",
    description: "Applications with their version, to be run as experiments on the workflow platform.",
  },
};

/** The kinds in the order in which the page shows them. */
export const resourceTypes = Object.keys(kinds) as ResourceType[];

const other: Kind = {
  label: "Other",
  plural: "Others",
  path: "others",
  tone: "grey",
  icon: "folder",
  description: "",
};

/** The kind of a resource. A type that a newer server knows and this page does not is shown in grey. */
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
 * The form of a new project with a resource in it, or with the repository that a notebook lies in; undefined where a
 * project takes neither.
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
