export const editProjectMessages = {
  title: (name: string) => `Edit ${name}`,
  subtitle: "Sessions that you started keep what they were started with.",
  absent: "There is no such project, or you may not see it.",
  browse: "Go to your projects",
  loading: "Loading the project",
  failure: "The project cannot be loaded.",
  ownerOnly: "Only the owner of a project changes it.",
  show: "Show the project",
} as const;
