export const dashboardMessages = {
  /** Kinds of sessions that are announced: their buttons are there, and off. */
  announced: ["VSCode", "Jupyter"],
  inDevelopment: (kind: string) =>
    `${kind} sessions are in development. Later you will be able to create new ${kind} sessions here.`,
  cannotStart: (reason: string) => `Sessions can't be started right now. ${reason}`,
} as const;
