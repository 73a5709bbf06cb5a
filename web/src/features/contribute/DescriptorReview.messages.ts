export const reviewMessages = {
  repository: "Repository",
  name: "Name",
  description: "Description",
  tags: "Tags",
  authors: (authors: number) => (authors === 1 ? "Author" : "Authors"),
  license: "License",
  version: "Version",
  doi: "DOI",
  needs: "Asks for",
  from: (source: string) => `from ${source}`,
  privacy: "Privacy",
  none: "none",
} as const;
