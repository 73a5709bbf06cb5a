export const connectionsPageMessages = {
  subtitle:
    "Connect your account at a code host to add and use repositories that are private there, or at an archive to deposit entries. What you grant is encrypted, it's never shown again, and it never enters a session.",
  loading: "Loading your connected accounts",
  list: "Code hosts and archives",
  failed: "Your connected accounts couldn't be loaded.",
  nothing: "No account can be connected here.",
  nothingYet: "The operators of this server decide which code hosts and archives can be connected.",
} as const;
