const keptAtForm = "What you wrote is still here. The form says what to fix.";

export const saveEntryMessages = {
  done: "Success",
  created: (kind: string) => `${kind} created successfully`,
  saved: (kind: string) => `${kind} saved successfully`,
  failure: "Error",
  notAdded: (kind: string) => `Failed to add ${kind.toLowerCase()}. ${keptAtForm}`,
  notSaved: (kind: string) => `Failed to save ${kind.toLowerCase()}. ${keptAtForm}`,
} as const;
