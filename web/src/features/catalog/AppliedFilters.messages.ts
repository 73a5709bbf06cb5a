export const appliedFiltersMessages = {
  label: "Applied filters",
  text: (text: string) => `“${text}”`,
  removeText: (text: string) => `Remove the text ${text}`,
  removeType: (type: string) => `Remove the type ${type}`,
  removeTag: (tag: string) => `Remove the tag ${tag}`,
  clear: "Clear all",
} as const;
