export const resourceNotFoundMessages = {
  notFound: "Resource not found",
  absent: "This entry doesn't exist, or you don't have access to it.",
  browse: "Browse the catalog",
  privateToAuthors: "If it is private, only its authors see it.",
  signInBefore: "If it is private, ",
  signIn: "sign in",
  signInAfter: " as one of its authors.",
} as const;
