export const shareProjectMessages = {
  title: "Share this project",
} as const;
