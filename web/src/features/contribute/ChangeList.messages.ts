export const changeMessages = {
  name: "Name",
  description: "Description",
  authors: "Authors",
  tags: "Tags",
  license: "License",
  version: "Version",
  doi: "DOI",
  needs: "Asks for",
  privacy: "Privacy",
  removed: "Removed: ",
  added: "Added: ",
  reordered: "In a different order",
} as const;
