export const signInPromptMessages = {
  title: "You are signed out",
  signIn: "Sign in",
  later: "Not now",
  leave: "Leave this page to sign in",
  beside: "A sign-in window opens, and this page stays as it is.",
  failed:
    "That didn't work: the browser blocked the window, the sign-in was refused, or the sign-in service can't be reached. This page stays as it is. You can also sign in from another tab, and this page will notice.",
} as const;
