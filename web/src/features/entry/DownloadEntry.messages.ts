export const downloadEntryMessages = {
  download: "Download",
  allFiles: "All files (.zip)",
  signIn: "Sign in to download files.",
} as const;
