export const dashboardMessages = {
  /** The buttons for new sessions, by their interface. Both are announced, and off, where no session can be opened in VS Code. */
  kinds: [
    ["vscode", "VSCode"],
    ["jupyter", "Jupyter"],
  ],
  workshops: "Workshops",
  inDevelopment: (kind: string) =>
    `${kind} sessions are in development. Later you will be able to create new ${kind} sessions here.`,
  cannotStart: (reason: string) => `Sessions can't be started right now. ${reason}`,
} as const;
