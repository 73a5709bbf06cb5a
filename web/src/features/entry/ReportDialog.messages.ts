export const reportDialogMessages = {
  title: "Report this entry",
  intro: "The operators will see what you write and your e-mail address, and decide what to do.",
  reason: "What's wrong with it?",
  help: "For instance, it advertises something, or it isn't the authors' own work.",
  signedOut: "Sign in to report an entry, so that the operators can reply to you.",
  signIn: "Sign in",
  send: "Report",
  cancel: "Cancel",
  done: "Reported",
  doneDetail: "The operators can see your report.",
} as const;
