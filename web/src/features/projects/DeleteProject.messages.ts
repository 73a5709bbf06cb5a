export const deleteProjectMessages = {
  title: "Delete project",
  means: "It can start no more sessions. Its sessions, its repository and its datasets stay.",
} as const;
