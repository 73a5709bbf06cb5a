/** What each privacy means; its keys are the valid ones. */
export const privacyMessages = {
  PUBLIC: "Everybody sees the entry.",
  PRIVATE: "Only its authors see the entry.",
} as const;
