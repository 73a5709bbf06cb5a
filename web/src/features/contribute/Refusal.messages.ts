export const refusalMessages = {
  notAdded: "The repository was not added.",
  notSynced: "The entry was not synced.",
  kept: "Nothing was changed, and what was pulled is still here.",
  noAnswer: "No answer came from the server.",
  unknown: "It may have worked anyway. Trying again is safe, and what was pulled is still here.",
  notAmongAuthors: "You are not among the authors.",
  existing: "Open the existing entry",
  addLine: (where: string) =>
    `Only authors can add a repository. Add this line to the descriptor, ${where}, push it, then pull again.`,
  line: "line",
} as const;
