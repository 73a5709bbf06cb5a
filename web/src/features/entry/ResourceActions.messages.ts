export const resourceActionsMessages = {
  use: "Use in a project",
  cite: "Cite",
  share: "Share",
} as const;
