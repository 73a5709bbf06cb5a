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
  host: (host: string) =>
    `This repository is private at ${host}. Its entry will be private, too: shown to those who can read the repository there.`,
  none: "none",
} as const;
