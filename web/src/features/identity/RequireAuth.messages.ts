export const requireAuthMessages = {
  page: "Sign in",
  title: "You are not signed in.",
  signIn: "Sign in",
  catalog: "Go to the catalog",
} as const;
