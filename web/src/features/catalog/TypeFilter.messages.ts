export const typeFilterMessages = {
  label: "Types",
  all: "All types",
  allShort: "all",
  only: "only",
  onlyOf: (types: string) => `Only ${types}`,
} as const;
