export const typeFilterMessages = {
  label: "Types",
  all: "All types",
  only: "Only",
  onlyOf: (types: string) => `Only ${types}`,
} as const;
