export const resourceNotFoundMessages = {
  notFound: "Resource not found",
  absent: "This entry doesn't exist, or you don't have access to it.",
  browse: "Browse the catalog",
  privateToAuthors: "If it's private, only its authors can see it.",
  mayBePrivate: "If it's private, {signIn} as one of its authors to see it.",
  signIn: "sign in",
} as const;
