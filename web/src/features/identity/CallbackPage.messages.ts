export const callbackMessages = {
  signingIn: "Signing in",
  answered: "You can close this window and continue where you were.",
  title: "The sign-in was not completed.",
  refused: "It was cancelled, or refused by your institution. You're not signed in; nothing else has changed.",
  failed:
    "It took too long, was already used, or the sign-in service can't be reached. You're not signed in; nothing else has changed.",
  retry: "Try again",
  catalog: "Go to the catalog",
} as const;
