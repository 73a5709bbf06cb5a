export const appliedFiltersMessages = {
  label: "Applied filters",
  text: (text: string) => `“${text}”`,
  removeTag: (tag: string) => `Remove the tag ${tag}`,
  clear: "Clear all",
} as const;
