export const startMessages = {
  start: "Start Project Session",
  failed: "Error starting session",
  gone: "A part of this project is not available to you.",
} as const;
