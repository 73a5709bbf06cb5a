export const reviewMessages = {
  repository: "Repository",
  name: "Name",
  description: "Description",
  tags: "Tags",
  authors: (authors: number) => (authors === 1 ? "Author" : "Authors"),
  privacy: "Privacy",
  none: "none",
} as const;
