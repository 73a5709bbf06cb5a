export const resourceCardMessages = {
  run: "Run",
  private: "Private",
  actions: (name: string) => `Actions for ${name}`,
  hide: "Hide",
  delete: "Delete",
  tags: "Tags",
  inFiles: "In its files:",
  moreTags: (tags: number | string) => `+${tags}`,
  moreAuthors: (authors: number) => `+${authors}`,
  stars: (stars: number) => (stars === 1 ? " star" : " stars"),
} as const;
