/** What a person reads about signing in and about accounts. Texts of the specification are kept to the letter. */

export const authMessages = {
  ended: "Your sign-in has expired. Sign in again to continue.",
  signedOut: "You have been signed out",
  unreachable: "The sign-in service can't be reached. Retrying automatically.",
  cannotRenew: "Your sign-in cannot be renewed",
  signInFailed: "Sign-in is unavailable",
  signInFailedReason: "The sign-in service cannot be reached. Try again in a moment.",
  signOutFailed: "Signed out here only",
  signOutFailedReason:
    "The sign-in service can't be reached, so you may still be signed in there. On a shared computer, close the browser.",
} as const;
