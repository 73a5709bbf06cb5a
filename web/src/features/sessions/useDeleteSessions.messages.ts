export const deleteMessages = {
  deleted: "Session deleted",
  allDeleted: "Sessions deleted",
  cannotDelete: "Error deleting session",
  error: "Error",
  cannotDeleteAll: (reason: string) => `Failed to delete all sessions. ${reason}`,
} as const;
