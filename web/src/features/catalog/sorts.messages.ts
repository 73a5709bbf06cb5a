export const sortMessages = {
  relevance: "relevance",
  name: "name",
  newest: "newest first",
  stars: "most stars first",
} as const;
