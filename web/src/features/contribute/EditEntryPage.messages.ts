export const editEntryMessages = {
  title: (name: string) => `Edit ${name}`,
  absent: "This entry doesn't exist, or you don't have access to it.",
  browse: "Browse the catalog",
  failure: "The entry couldn't be loaded.",
  loading: "Loading the entry",
  ofRepository: "A repository's entry comes from its descriptor file.",
  syncIt: "Change that file, then sync the entry.",
  authorsOnly: "Only an entry's authors can change it.",
  show: (kind: string) => `Show the ${kind.toLowerCase()}`,
} as const;
