export const startMessages = {
  start: "Start Project Session",
  failed: "Error starting session",
  gone: "Part of this project isn't available to you.",
} as const;
