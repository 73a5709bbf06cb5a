export const usageMessages = {
  usedOf: (used: string, limit: string) => `${used} of ${limit}`,
  busy: (processors: string, memory: string) => `Busy: ${processors} processors, ${memory} memory`,
  quiet: (memory: string) => `${memory} memory`,
} as const;
