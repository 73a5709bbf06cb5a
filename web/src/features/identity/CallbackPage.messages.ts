export const callbackMessages = {
  signingIn: "Signing in",
  answered: "You can close this window and continue where you were.",
  title: "The sign-in was not completed.",
  refused: "It was cancelled, or your institution refused it. You are not signed in; all else is as it was.",
  failed:
    "It took too long, was used already, or the sign-in service cannot be reached. You are not signed in; all else is as it was.",
  retry: "Try again",
  catalog: "Go to the catalog",
} as const;
