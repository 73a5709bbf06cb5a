export const entryTemplateMessages = {
  moreFiles: (files: string) => `${files} more`,
  included: "Included with this server.",
} as const;
