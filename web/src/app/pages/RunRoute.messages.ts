export const runRouteMessages = {
  project: "Project",
  incomplete: "It cannot be started: a part of it is deleted, or private to others.",
} as const;
