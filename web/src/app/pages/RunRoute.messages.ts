export const runRouteMessages = {
  project: "Project",
  incomplete: "It can't be started: part of it was deleted or is private to someone else.",
} as const;
