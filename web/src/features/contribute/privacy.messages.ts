/** What each privacy means; its keys are the valid ones. */
export const privacyMessages = {
  PUBLIC: "Everyone can see the entry.",
  PRIVATE: "Only its authors can see the entry.",
} as const;
