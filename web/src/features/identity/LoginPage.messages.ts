export const loginMessages = {
  signIn: "Institution Login",
  retry: "Try again",
  /** What a sign-in is for, by the beginning of the address that it leads to. */
  purposes: {
    "/sessions": "Sign in to see your sessions.",
    "/shared": "Sign in to follow the link to a session.",
    "/add": "Sign in to add to the catalog.",
    "/resources/starred": "Sign in to see your starred entries.",
    "/accounts": "Sign in to manage accounts.",
  },
  elsewhere: "Sign in to continue where you were.",
  here: "Sign in to star entries, add your own, and run them.",
  atInstitution: (host: string) =>
    `You'll sign in at ${host}, then return here. Your password stays there: this site never sees it.`,
  atThisServer: "You'll sign in on the next page, then return here.",
  loading: "Loading OIDC configuration...",
  unavailable: "Sign-in is unavailable.",
  unavailableReason:
    "The sign-in service isn't answering. Retrying automatically; you can browse the catalog in the meantime.",
  firstTime: (contact: string) =>
    `New here? Signing in creates your account. ${contact === "" ? "The operators" : contact} may need to enable it before you can start sessions.`,
  browse: "Browse the catalog without signing in",
} as const;
