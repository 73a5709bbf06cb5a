export const decideDialogMessages = {
  title: "Decide by e-mail",
  email: "E-mail",
  help: "It counts from the first sign-in on, also for somebody who was never here.",
  decision: "Decision",
  enable: "May start sessions",
  promote: "Operator: decides about accounts, and may start sessions",
  disable: "May not start sessions; those that run are stopped, their work is kept",
  cancel: "Cancel",
  save: "Save",
} as const;
