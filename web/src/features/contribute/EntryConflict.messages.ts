export const entryConflictMessages = {
  meanwhile:
    "Someone else changed this entry in the meantime, so your changes aren't saved yet. Their changes to other fields are in the form now.",
  disputed: "You both changed these fields. The form has your version; theirs is:",
  saveAgain: "Check it and save again.",
  theirs: (text: string) => `: ${text || "(nothing)"}`,
  take: "Take theirs",
  takeOf: (field: string) => `Take theirs: ${field}`,
} as const;
