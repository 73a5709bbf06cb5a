export const projectFormMessages = {
  name: "Project name",
  nameHelp: "Names of projects are private: only you see them, unless you publish the project.",
  repository: "Repository",
  searchRepositories: "Search repositories",
  repositoryHelp: "A project has exactly one: its code is what a session opens.",
  datasets: "Datasets",
  searchDatasets: "Search datasets",
  datasetsHelp: "As many as it needs, or none. In a session they are beside the code, read-only.",
  chosen: "Chosen datasets",
  remove: (dataset: string) => `Remove the dataset ${dataset}`,
  published: "Published",
  publishedHelp:
    "Everybody sees this project and its name at its repository and datasets, and may start sessions of their own from it. All its parts must be public.",
  create: "Create project",
  save: "Save",
  changed:
    "The project was changed in another window. What you changed here is still here, and the rest is as it is now. Check it, and save again.",
  cancel: "Cancel",
} as const;
