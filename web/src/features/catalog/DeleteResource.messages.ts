export const deleteResourceMessages = {
  title: "Delete resource",
  warning: "This removes it for everyone. Projects that use it can no longer start sessions.",
  done: "Resource deleted",
  failure: "Error deleting session",
} as const;
