export const sortMessages = {
  relevance: "relevance",
  used: "most used",
  name: "name",
  newest: "newest",
  stars: "most stars",
  runs: "clean runs first",
} as const;
