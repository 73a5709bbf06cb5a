export const downloadEntryMessages = {
  allFiles: "All files (.zip)",
  signIn: "Sign in to download files.",
} as const;
