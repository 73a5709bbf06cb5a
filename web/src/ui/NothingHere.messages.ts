export const nothingHereMessages = {
  browse: "Browse the catalog",
  before: "If it is yours, ",
  signIn: "sign in",
  after: " to see it.",
} as const;
