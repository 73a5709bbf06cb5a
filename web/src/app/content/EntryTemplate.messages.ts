export const entryTemplateMessages = {
  moreFiles: (files: string) => `${files} more`,
} as const;
