import { count } from "@/lib/format";

/**
 * What a person reads where entries are added from descriptors and brought up to them. What stands between backticks is
 * shown as code. Texts of the specification are kept to the letter.
 */

export const addMessages = {
  subtitle: "Choose what to add.",
  repository: "Add a repository",
  repositoryText: (file: string) => `From GitHub. The file ${file} in it says what its entry shows.`,
  project: "Add a project",
  projectText: "One repository with the datasets it needs, to start sessions from. Its name is private to you.",
  dataset: "Add a dataset",
  datasetText: "Data at a web address.",
  notebook: "Add a notebook",
  notebookText: "A notebook file on the web.",
  model: "Add a model",
  modelText: "An application of the workflow platform.",
} as const;

export const manyMessages = {
  title: "Add many at once",
  how: "The operators of this server add many entries and projects from a file, also folders of data on the server itself. Send them yours: one JSON object a line, a resource or a project.",
  example: "example",
  fields:
    "Instead of `repositoryUrl`, a dataset has `datasetUrl`, a notebook `notebookPath`, and a model `applicationInterfaceId` and `version`. The whole file is checked before anything is written; an entry with the same `externalId` is updated.",
  command: "command",
  commandLine: "cairn import FILE",
} as const;

export const addRepositoryMessages = {
  step: (step: number) => `Step ${step} of 2`,
  where: "Where is it?",
  from: (files: readonly string[]) =>
    `The entry is made from the file ${files.map((file) => `\`${file}\``).join(" or ")} in the root of the repository: on the branch \`main\`, else \`master\`, else the default branch.`,
  address: "GitHub URL",
  addressHint: "https://github.com/owner/name",
  addressHelp: "A public repository on GitHub, such as https://github.com/owner/name.",
  pull: (file: string) => `Pull ${file}`,
  pulling: (file: string) => `Pulling ${file}`,
  asking: "GitHub is asked for one branch after the other. That takes a few seconds.",
  cancel: "Cancel",
  cancelled: "Pulling was cancelled. Nothing was added, and the address is still here.",
  fileLike: (file: string) => `What ${file} looks like`,
  review: "Review what will be added",
  source: (file: string, branch: string) =>
    `This is what \`${file}\` says on the branch \`${branch}\`. To change it, change that file, then pull it again.`,
  pullAgain: "Pull again",
  add: "Add Repository",
  done: "Success",
  doneText: "Repository created successfully",
  failed: "Error",
  failedText: (reason: string) => `Failed to add repository. ${reason}`,
} as const;

export const reviewMessages = {
  repository: "Repository",
  name: "Name",
  description: "Description",
  tags: "Tags",
  authors: (authors: number) => (authors === 1 ? "Author" : "Authors"),
  privacy: "Privacy",
  none: "none",
} as const;

/** What each privacy means; its keys are the valid ones. */
export const privacyMessages = {
  PUBLIC: "Everybody sees the entry.",
  PRIVATE: "Only its authors see the entry.",
} as const;

export const invalidPrivacyMessages = {
  title: "Invalid privacy field",
  text: (file: string, valid: string) => `The privacy field in ${file} is invalid. Valid values: ${valid}.`,
} as const;

export const descriptorFailureMessages = {
  faults: (faults: number) => `The descriptor needs mending in ${count(faults, "place", "places")}.`,
  list: "What to mend",
  mend: "Mend the file, push it, and pull it again.",
  notFetched: (file: string) => `Failed to fetch ${file}. Please check the URL.`,
  example: "A descriptor that would do",
  exampleLabel: "example",
} as const;

export const refusalMessages = {
  notAdded: "The repository was not added.",
  notSynced: "The entry was not synced.",
  kept: "Nothing was changed, and what was pulled is still here.",
  noAnswer: "No answer came from the server.",
  unknown: "It may have been done all the same. Trying again does nothing twice, and what was pulled is still here.",
  notAmongAuthors: "You are not among the authors.",
  existing: "Open the existing entry",
  addLine: (where: string) =>
    `Only authors add a repository. Write this line into the descriptor, ${where}, push it, then pull it again.`,
  line: "line",
} as const;

export const syncMessages = {
  open: "Sync",
  title: (file: string) => `Sync with ${file}`,
  cancel: "Cancel",
  close: "Close",
  pullAgain: "Pull again",
  save: "Save",
  reading: "Reading the descriptor",
  nothing: (file: string) => `The entry already matches ${file}.`,
  changes: "This changes in the entry:",
  becomesPublic: "The privacy becomes PUBLIC.",
  becomesPublicText: "The descriptor does not name it. Everybody sees the entry then.",
  leaving: "You leave the authors.",
  leavingText: "The descriptor does not name you. You can neither sync nor delete the entry then.",
  done: "Resource synced successfully",
  failed: "Error",
  failedText: (reason: string) => `Failed to sync resource. ${reason}`,
} as const;

export const changeMessages = {
  name: "Name",
  description: "Description",
  authors: "Authors",
  tags: "Tags",
  privacy: "Privacy",
  removed: "Removed: ",
  added: "Added: ",
  reordered: "In another order",
} as const;

export const exampleMessages = {
  author: "you@example.org",
  name: "The name of your work",
  description: "What it does and for whom, in Markdown.",
  tags: ["neuroscience", "molecular dynamics"],
  entryName: "Spike sorting",
  entryDescription: "Sorts **spikes** of many electrodes.",
} as const;
