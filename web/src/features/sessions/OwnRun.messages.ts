export const ownRunMessages = {
  withOptions: "Run with options",
  openInEditor: "Open in VS Code",
  lastFailed: (reason: string) => `The last run of this entry failed: ${reason}`,
  openRunning: "Open your running session",
  stopOne: "Terminate one of these to run another:",
  terminate: "Terminate",
  terminateOne: (name: string) => `Terminate session ${name}`,
  stopFailed: "Error terminating session",
  stopped: "Session terminated",
  others: (count: number) => `and ${count} more`,
} as const;
