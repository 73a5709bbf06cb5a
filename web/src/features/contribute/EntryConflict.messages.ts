export const entryConflictMessages = {
  meanwhile:
    "Somebody else changed this entry meanwhile, so yours is not saved yet. What they changed elsewhere is in the form now.",
  disputed: "What you both changed stands here as you wrote it; they wrote:",
  saveAgain: "Look at it, and save again.",
  theirs: (text: string) => `: ${text || "(nothing)"}`,
  take: "Take theirs",
  takeOf: (field: string) => `Take theirs: ${field}`,
} as const;
