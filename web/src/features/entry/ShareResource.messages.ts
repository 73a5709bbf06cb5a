export const shareResourceMessages = {
  title: (kind: string) => `Share this ${kind.toLowerCase()}`,
} as const;
