export const deleteProjectMessages = {
  title: "Delete project",
  means: "No new sessions can be started from it. Its sessions, its repository and its datasets stay.",
  members: "Its members no longer see it.",
} as const;
