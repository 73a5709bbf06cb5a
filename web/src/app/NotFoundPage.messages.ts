export const notFoundMessages = {
  body: "There is no page at this address. Check it for a typo, or look for what you need in the catalog.",
  search: "Search the catalog",
  placeholder: "Names, topics, tags, authors",
  browse: "Browse the catalog",
  first: "Go to the home page",
} as const;
