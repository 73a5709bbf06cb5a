export const dashboardMessages = {
  /** Kinds of sessions that are announced: their buttons are there, and off. */
  announced: ["VSCode", "Jupyter"],
  inDevelopment: (kind: string) =>
    `${kind} sessions are in development. Later you will be able to create new ${kind} sessions here.`,
  cannotStart: (reason: string) => `Sessions cannot be started now. ${reason}`,
} as const;
