export const disconnectMessages = {
  title: (host: string) => `Disconnect your account at ${host}?`,
  consequence:
    "Entries of repositories that only your connection lets you read are closed to you until you connect again, and you can't start sessions of them.",
  cancel: "Cancel",
  disconnect: "Disconnect",
  failed: "Your account wasn't disconnected.",
} as const;
