export const deleteMessages = {
  deleted: "Project deleted",
  // The words of the specification, for whatever could not be deleted.
  cannotDelete: "Error deleting session",
} as const;
