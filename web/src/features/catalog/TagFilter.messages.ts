export const tagFilterMessages = {
  title: "Tags",
  search: "Search within tags",
  placeholder: "Find a tag",
} as const;
