export const runButtonMessages = {
  run: "Run",
  signIn: "Sign in to run",
} as const;
