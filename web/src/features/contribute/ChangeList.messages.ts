export const changeMessages = {
  name: "Name",
  description: "Description",
  authors: "Authors",
  tags: "Tags",
  privacy: "Privacy",
  removed: "Removed: ",
  added: "Added: ",
  reordered: "In another order",
} as const;
