export const loginMessages = {
  signIn: "Institution Login",
  retry: "Try again",
  /** Where a sign-in leads, by the beginning of the address. */
  places: {
    "/sessions": "your sessions",
    "/add": "what you want to add",
    "/resources/starred": "your starred entries",
    "/accounts": "the accounts",
  },
  elsewhere: "where you were",
  here: "Sign in to star entries, to add your own, and to run them.",
  goOn: (place: string) => `Sign in to continue to ${place}.`,
  atInstitution: (host: string) =>
    `You'll sign in at ${host}, then return here. Your password stays there: this site never sees it.`,
  atThisServer: "You'll sign in on the next page, then return here.",
  loading: "Loading OIDC configuration...",
  unavailable: "Sign-in is unavailable.",
  unavailableReason:
    "The sign-in service isn't answering. Retrying automatically; you can browse the catalog in the meantime.",
  firstTime: (contact: string) =>
    `New here? Signing in creates your account. ${contact === "" ? "The operators" : contact} may have to enable it before you can start sessions.`,
  browse: "Browse the catalog without signing in",
} as const;
