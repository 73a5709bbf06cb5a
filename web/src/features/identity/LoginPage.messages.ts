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
  goOn: (place: string) => `Sign in to go on to ${place}.`,
  atInstitution: (host: string) =>
    `You sign in at ${host} and come back here. Your password stays there: this site never sees it.`,
  atThisServer: "You sign in on the next page and come back here.",
  loading: "Loading OIDC configuration...",
  unavailable: "Sign-in is unavailable.",
  unavailableReason:
    "The sign-in service does not answer. It is tried again by itself; you can browse the catalog meanwhile.",
  firstTime: (contact: string) =>
    `New here? Signing in creates your account. ${contact === "" ? "The operators" : contact} may have to enable it before you can start sessions.`,
  browse: "Browse the catalog without signing in",
} as const;
