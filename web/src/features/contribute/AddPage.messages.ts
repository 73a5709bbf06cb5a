/**
 * The texts of adding repositories and syncing their entries. Text between backticks is shown as code. Texts prescribed by
 * the specification are kept verbatim.
 */

export const addMessages = {
  subtitle: "Choose what to add.",
  upload: "Upload files",
  uploadText: "Data, notebooks or code from your computer. This server keeps them.",
  repository: "Add a repository",
  repositoryText: (file: string) =>
    `From GitHub, GitLab or any other server of git. Its file ${file} describes the entry.`,
  project: "Add a project",
  projectText: "One repository with the datasets it needs, to start sessions from. Its name is private to you.",
  dataset: "Add a dataset",
  datasetText: "Data at a web address.",
  doi: "Add data by DOI",
  doiText: "From Zenodo, Figshare, Dataverse and other archives.",
  notebook: "Add a notebook",
  notebookText: "A notebook file on the web.",
  model: "Add a model",
  modelText: "An application of the workflow platform.",
} as const;

export const manyMessages = {
  title: "Add many at once",
  how: "The operators of this server can add many entries and projects from one file, including folders of data on the server. Send them a file with one JSON object per line, each a resource or a project.",
  example: "example",
  fields:
    "Instead of `repositoryUrl`, a dataset has `datasetUrl`, a notebook `notebookPath`, and a model `applicationInterfaceId` and `version`. The whole file is checked before anything is written; an entry with the same `externalId` is updated.",
  command: "command",
  commandLine: "cairn import FILE",
} as const;
