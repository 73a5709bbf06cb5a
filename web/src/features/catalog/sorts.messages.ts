export const sortMessages = {
  relevance: "relevance",
  used: "most used first",
  name: "name",
  newest: "newest first",
  stars: "most stars first",
  runs: "ran clean first",
} as const;
