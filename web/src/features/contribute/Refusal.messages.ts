export const refusalMessages = {
  notAdded: "The repository was not added.",
  notSynced: "The entry was not synced.",
  kept: "Nothing was changed, and what was pulled is still here.",
  noAnswer: "No answer came from the server.",
  unknown: "It may have been done all the same. Trying again does nothing twice, and what was pulled is still here.",
  notAmongAuthors: "You are not among the authors.",
  existing: "Open the existing entry",
  addLine: (where: string) =>
    `Only authors add a repository. Write this line into the descriptor, ${where}, push it, then pull it again.`,
  line: "line",
} as const;
