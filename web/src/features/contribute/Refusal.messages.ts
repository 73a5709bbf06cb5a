export const refusalMessages = {
  notAdded: "The repository was not added.",
  notSynced: "The entry was not synced.",
  kept: "Nothing was changed, and what was pulled is still here.",
  noAnswer: "The server didn't answer.",
  unknown: "It may have worked anyway. Trying again is safe, and what was pulled is still here.",
  notAmongAuthors: "You aren't listed as an author.",
  existing: "Open the existing entry",
  addLine: (where: string) =>
    `Only authors can add a repository. Add this line to the descriptor, ${where}, push it, then pull again.`,
  line: "line",
} as const;
