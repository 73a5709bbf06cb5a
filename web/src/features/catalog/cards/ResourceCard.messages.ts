export const resourceCardMessages = {
  run: "Run",
  private: "Private",
  actions: (name: string) => `Actions for ${name}`,
  delete: "Delete",
  tags: "Tags",
  stars: (stars: number) => (stars === 1 ? " star" : " stars"),
} as const;
