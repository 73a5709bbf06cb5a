export const myProjectsMessages = {
  title: "Projects",
  loading: "Loading projects",
  cannotLoad: "Your projects cannot be loaded.",
  none: "You have no projects yet.",
  whatItIs: "A project is one repository with the datasets it needs. Sessions are started from it.",
  add: "Add a project",
} as const;
