/** What is said of a request to open a session when it went well, and when it failed. */
export const outcomeTitles = {
  start: { done: "Session started", failed: "Error starting session" },
  run: { done: "Session started", failed: "Error starting session" },
  restart: { done: "Session resumed", failed: "Error resuming session" },
  open: { done: "Session resumed", failed: "Error resuming session" },
} as const;
