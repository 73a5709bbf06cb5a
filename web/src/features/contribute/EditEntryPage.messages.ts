export const editEntryMessages = {
  title: (name: string) => `Edit ${name}`,
  absent: "There is no such entry, or you may not see it.",
  browse: "Browse the catalog",
  failure: "The entry could not be read.",
  loading: "Loading the entry",
  ofRepository: "The entry of a repository says what the descriptor file in it says.",
  syncIt: "Change that file, then sync the entry.",
  authorsOnly: "Only the authors of an entry change it.",
  show: (kind: string) => `Show the ${kind.toLowerCase()}`,
} as const;
