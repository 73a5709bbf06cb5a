export const startMessages = {
  start: "Start Project Session",
  failed: "Error starting session",
  gone: "This project is gone, or a part of it is not available to you.",
} as const;
