export const projectFormMessages = {
  name: "Project name",
  nameHelp: "Only you see the name, unless you publish the project.",
  nameHelpShared: "Only the project's owner and its members see the name, unless it's published.",
  repository: "Repository",
  searchRepositories: "Search repositories",
  repositoryHelp: "A project has exactly one: its code is what a session opens.",
  datasets: "Datasets",
  searchDatasets: "Search datasets",
  datasetsHelp: "As many as it needs, or none. In a session, they're next to the code, read-only.",
  chosen: "Chosen datasets",
  remove: (dataset: string) => `Remove the dataset ${dataset}`,
  published: "Published",
  publishedHelp:
    "Everyone can see this project and its name on the pages of its repository and datasets, and start their own sessions from it. All its parts must be public.",
  ownerPublishes: (owner = "") => `Only the owner decides whether it's published: ${owner}.`,
  create: "Create project",
  save: "Save",
  changed:
    "The project was changed in another window. Your changes are still here, and the other fields are up to date. Check them and save again.",
  cancel: "Cancel",
} as const;
