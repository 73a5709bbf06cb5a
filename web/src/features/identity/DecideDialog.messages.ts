export const decideDialogMessages = {
  title: "Add by e-mail",
  email: "E-mail",
  help: "Also applies to people who haven't signed in yet.",
  decision: "Decision",
  enable: "May start sessions",
  promote: "Operator: manages accounts and entries, and may start sessions",
  disable: "May not start sessions; running ones are stopped, and their work is kept",
  cancel: "Cancel",
  save: "Save",
} as const;
