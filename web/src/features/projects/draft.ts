import { fieldFaults, messageOf } from "@/api/problem";
import type { Project, Resource } from "@/api/types";
import { draftMessages as messages } from "./draft.messages";

/** The state of the form of a project. */
export interface ProjectDraft {
  name: string;
  repository: Resource | undefined;
  datasets: Resource[];
  published: boolean;
}

type DraftField = "account" | "name" | "repository" | "published";

export interface DraftFault {
  field: DraftField;
  message: string;
}

/** The missing parts of a new project or of a change to the given one, in the order of the message. */
export function draftFaults(draft: ProjectDraft, email: string, project?: Project): DraftFault[] {
  const faults: DraftFault[] = [];
  if (email === "") faults.push({ field: "account", message: messages.signedOut });
  if (draft.name.trim() === "") faults.push({ field: "name", message: messages.noName });
  if (!draft.repository) faults.push({ field: "repository", message: messages.noRepository });
  // What is published already may lose its parts, and still be renamed.
  const stays = project?.published && hasDatasetsOf(project, draft);
  const hidden = draft.published && !stays ? privateParts(draft) : [];
  if (hidden.length > 0) {
    faults.push({ field: "published", message: messages.hidden(hidden.map(({ name }) => name)) });
  }
  return faults;
}

/** The parts that keep a project from being published. */
function privateParts({ repository, datasets }: ProjectDraft): Resource[] {
  return [...(repository ? [repository] : []), ...datasets].filter(({ privacy }) => privacy === "PRIVATE");
}

/** Returns why the server refused a draft, with the names of the parts, because the server may only know their ids. */
export function refusal(error: unknown, draft: ProjectDraft): string {
  const sentences = Object.entries(fieldFaults(error)).map(([field, sentence]) => {
    const part = partAt(field, draft);
    return part ? messages.unusable(part.name) : sentence;
  });
  return sentences.join(" ") || messageOf(error);
}

/** The part that a field of the body names: "repositoryId", or "datasetIds[0]". */
function partAt(field: string, { repository, datasets }: ProjectDraft): Resource | undefined {
  if (field === "repositoryId") return repository;
  const [, index] = /^datasetIds\[(\d+)\]$/.exec(field) ?? [];
  return datasets[Number(index)];
}

/** The body of the call that makes a project of a draft. The datasets are only checked if they are sent. */
export function changeOf(project: Project, draft: ProjectDraft) {
  const { datasets, published } = draft;
  return {
    updatedAt: project.updatedAt,
    name: draft.name.trim(),
    published,
    ...(!hasDatasetsOf(project, draft) && { datasetIds: datasets.map(({ id }) => id) }),
  };
}

function hasDatasetsOf({ datasetResources }: Project, { datasets }: ProjectDraft): boolean {
  return datasets.map(({ id }) => id).join() === datasetResources.map(({ id }) => id).join();
}

/** The draft that leaves a project as it is. */
export function draftOf({ name, repositoryResource, datasetResources, published }: Project): ProjectDraft {
  return { name, repository: repositoryResource, datasets: datasetResources, published };
}

/** What somebody changed in a draft since it was `base`, on top of what the project is now. */
export function rebased(draft: ProjectDraft, base: Project, now: Project): ProjectDraft {
  const [before, after] = [draftOf(base), draftOf(now)];
  return {
    ...after,
    ...(draft.name !== before.name && { name: draft.name }),
    ...(draft.published !== before.published && { published: draft.published }),
    ...(!hasDatasetsOf(base, draft) && { datasets: draft.datasets }),
  };
}

/** Adds an entry to a list, or removes it. */
export function toggledPart(parts: Resource[], part: Resource): Resource[] {
  const others = parts.filter(({ id }) => id !== part.id);
  return others.length === parts.length ? [...parts, part] : others;
}

/** The entries named in the form's address, where "Use in a project" puts them. */
export function wantedParts(query: URLSearchParams): { repositoryId: string | undefined; datasetIds: string[] } {
  const datasetIds = (query.get("datasetIds") ?? "").split(",").map((id) => id.trim());
  return {
    repositoryId: query.get("repositoryId")?.trim() || undefined,
    datasetIds: [...new Set(datasetIds.filter((id) => id !== ""))],
  };
}
