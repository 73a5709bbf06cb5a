export const closedEntryMessages = {
  title: "This entry is closed to you now",
  meaning: "It's shown to those who can read its repository at the code host. You're still one of its authors.",
  connect: "Connect your account",
  delete: "Delete",
} as const;
