export const resourceActionsMessages = {
  actions: "Actions",
  use: "Use in a project",
  cite: "Cite",
  share: "Share",
} as const;
