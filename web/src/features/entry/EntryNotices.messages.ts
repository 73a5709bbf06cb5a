export const entryNoticesMessages = {
  hidden: "An operator took this entry off the catalog",
  reason: (reason: string) => `Reason: ${reason}`,
  meaning: "Only its authors and operators see it. Its authors can correct it and ask the operators to bring it back.",
} as const;
