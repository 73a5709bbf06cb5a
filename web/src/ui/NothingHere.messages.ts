export const nothingHereMessages = {
  browse: "Browse the catalog",
  mayBeYours: "If it's yours, {signIn} to see it.",
  signIn: "sign in",
} as const;
