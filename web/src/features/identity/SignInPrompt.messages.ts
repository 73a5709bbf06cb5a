export const signInPromptMessages = {
  title: "You are signed out",
  signIn: "Sign in",
  later: "Not now",
  leave: "Leave this page to sign in",
  beside: "A sign-in window opens, and this page stays as it is.",
  failed:
    "That did not work: the browser blocked the window, the sign-in was refused, or its service cannot be reached. This page stays as it is. You can also sign in in another tab; this page notices.",
} as const;
