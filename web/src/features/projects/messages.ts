/*
 * All that people read of projects, by component. What stands in quotes in the specification ("Associated Projects",
 * "Start Project Session", "Reset Selection", the toasts and the validation) stays to the letter.
 */

import { count } from "@/lib/format";

const quoted = (names: string[]) => names.map((name) => `“${name}”`).join(", ");
const datasetCount = (datasets: number) => count(datasets, "dataset", "datasets");

export const associatedProjectsMessages = {
  title: "Associated Projects",
  cannotLoad: "The projects with this entry cannot be loaded.",
} as const;

export const quickStartMessages = {
  ofProject: (project: string) => `A session of the project ${project}`,
} as const;

export const myProjectsMessages = {
  title: "Projects",
  loading: "Loading projects",
  cannotLoad: "Your projects cannot be loaded.",
  none: "You have no projects yet.",
  whatItIs: "A project is one repository with the datasets it needs. Sessions are started from it.",
  add: "Add a project",
} as const;

export const projectCardMessages = {
  published: "Published",
  added: (day: string) => `Added ${day}`,
  parts: (project: string) => `Parts of ${project}`,
  gone: "Deleted, or private to its authors",
  othersCannotStart: (hidden: string[]) =>
    `Others cannot start it: ${quoted(hidden)} ${hidden.length > 1 ? "are" : "is"} private.`,
  delete: (project: string) => `Delete project ${project}`,
  deleteTitle: "Delete project",
  deleteMeans: "It can start no more sessions. Its sessions, its repository and its datasets stay.",
  /** Why it cannot be started: what is missing of it. */
  unavailable: (repository: boolean, datasets: number) => {
    const parts = [
      ...(repository ? ["its repository"] : []),
      ...(datasets > 0 ? [datasets === 1 ? "one of its datasets" : `${datasets} of its datasets`] : []),
    ];
    const text = parts.join(" and ") || "a part of it";
    return `It cannot be started: ${text} ${parts.length > 1 || datasets > 1 ? "are" : "is"} deleted, or private to others.`;
  },
} as const;

export const startMessages = {
  start: "Start Project Session",
  failed: "Error starting session",
  gone: "This project is gone, or a part of it is not available to you.",
} as const;

export const deleteMessages = {
  deleted: "Project deleted",
  // The words of the specification, for whatever could not be deleted.
  cannotDelete: "Error deleting session",
} as const;

export const createMessages = {
  created: "Project Created",
  createdWith: (project: string, datasets: number) => `${project}, with ${datasetCount(datasets)} and 1 repository.`,
  cannotCreate: "Error creating project",
  checkInput: "Please check your input and try again.",
} as const;

export const draftMessages = {
  signedOut: "Please log in again.",
  noName: "Please enter a project name.",
  noRepository: "Please select a repository.",
  hidden: (parts: string[]) => `${quoted(parts)}: private. All parts of a published project must be public.`,
} as const;

export const addProjectMessages = {
  subtitle: "One repository and the datasets it needs: what a session is started from.",
  loading: "Loading the parts of the project",
  cannotLoad: "The parts of the project cannot be loaded.",
  /** What the address names and is not to be had. */
  missing: (repository: boolean, datasets: number) => {
    const parts = [...(repository ? ["the repository"] : []), ...(datasets > 0 ? [datasetCount(datasets)] : [])];
    return `Of what the link names, ${parts.join(" and ")} cannot be used: gone, not of that type, or not shown to you.`;
  },
} as const;

export const projectFormMessages = {
  name: "Project name",
  nameHelp: "Names of projects are private: only you see them, unless you publish the project.",
  repository: "Repository",
  searchRepositories: "Search repositories",
  repositoryHelp: "A project has exactly one: its code is what a session opens.",
  datasets: "Datasets",
  searchDatasets: "Search datasets",
  datasetsHelp: "As many as it needs, or none. In a session they lie beside the code, to be read only.",
  chosen: "Chosen datasets",
  remove: (dataset: string) => `Remove the dataset ${dataset}`,
  published: "Published",
  publishedHelp:
    "Everybody sees this project and its name at its repository and datasets, and may start sessions of their own from it. All its parts must be public.",
  create: "Create project",
  cancel: "Cancel",
} as const;

/** One and many of what a picker finds. */
const nouns: Record<Kind, [one: string, many: string]> = {
  REPOSITORY: ["repository", "repositories"],
  DATASET: ["dataset", "datasets"],
};
type Kind = "REPOSITORY" | "DATASET";

export const partPickerMessages = {
  placeholder: "Name, tag or author",
  search: (kind: Kind) => `Search ${nouns[kind][1]}`,
  searching: "Searching…",
  none: (kind: Kind) => `No ${nouns[kind][1]} found`,
  found: (number: number, kind: Kind) => count(number, ...nouns[kind]),
  failed: (reason: string) => ` The search did not work: ${reason}`,
  starred: "Starred by you",
  newest: "Newest",
} as const;

export const partMessages = {
  private: "Private",
  starred: "Starred by you",
  /** Read out after a name. */
  isPrivate: " private",
  isStarred: " starred",
  reset: "Reset Selection",
} as const;
