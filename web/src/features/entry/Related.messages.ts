export const relatedMessages = {
  title: "Related entries",
  from: "From the event:",
  repository: "From the same repository",
  project: "In the same project:",
  event: (title: string) => `From the same event: ${title}`,
  tags: (tags: string[]) => `Tags in common: ${tags.join(", ")}`,
} as const;
