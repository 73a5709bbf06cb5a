export const reportDialogMessages = {
  title: "Report this entry",
  intro: "The operators read what you write, with your e-mail address, and decide.",
  reason: "What is wrong with it?",
  help: "For instance: it advertises something, or it isn't the authors' own.",
  signedOut: "Reports have an e-mail address, so that the operators can ask. Sign in to write one.",
  signIn: "Sign in",
  send: "Report",
  cancel: "Cancel",
  done: "Reported",
  doneDetail: "The operators see your report.",
} as const;
