export const resourceActionsMessages = {
  actions: "Actions",
  runWith: "Run with …",
  use: "Use in a project",
  cite: "Cite",
  share: "Share",
} as const;
