export const saveEntryMessages = {
  done: "Success",
  created: (kind: string) => `${kind} created successfully`,
  saved: (kind: string) => `${kind} saved successfully`,
} as const;
