export const resourceNotFoundMessages = {
  notFound: "Resource not found",
  absent: "This entry doesn't exist, or you don't have access to it.",
  noVersion: (version: string) => `Version ${version} of this entry doesn't exist, or you don't have access to it.`,
  latest: "See the latest version",
  browse: "Browse the catalog",
  privateToAuthors: "If it's private, only its authors can see it.",
  mayBePrivate: "If it's private, {signIn} as one of its authors to see it.",
  signIn: "sign in",
} as const;
