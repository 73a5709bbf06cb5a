export const resourceActionsMessages = {
  use: "Use in a project",
  cite: "Cite",
  copyLink: "Copy link",
} as const;
