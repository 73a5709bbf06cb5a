import { count } from "@/lib/format";

export const resourceFactsMessages = {
  title: "Facts",
  glimpse: (authors: number, updated: string) => `${count(authors, "author", "authors")}, updated ${updated}`,
  authors: (authors: number) => (authors === 1 ? "Author" : "Authors"),
  authorsNoun: "authors",
  byAuthor: (author: string) => `Entries by ${author}`,
  people: "People",
  license: "License",
  doi: "DOI",
  version: "Version",
  added: "Added",
  updated: "Updated",
  stars: "Stars",
  privacy: "Privacy",
  private: "Private, authors only",
  public: "Public",
  links: "Links",
  run: "Run",
  report: "Report this entry",
  runOn: (platform: string) => `On ${platform}`,
} as const;
