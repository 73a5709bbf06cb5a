export const partMessages = {
  private: "Private",
  starred: "Starred by you",
  /** Read out after a name. */
  isPrivate: " private",
  isStarred: " starred",
  reset: "Reset Selection",
} as const;
