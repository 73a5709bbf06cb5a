export const openMessages = {
  starting: "Starting session",
  opening: "Opening session",
  becomesSession: "This tab becomes your session.",
  toSessions: "Go to your sessions",
  toRun: "See what would run",
  nothing: "There is no session to open here.",
  servesOnce: "This address works only once. Open the session from your list.",
  blocked: "The browser blocked the new tab",
  blockedHelp: "Open it with this link.",
  blockedLink: "Open the session",
  foreignAddress: "The server returned an address that isn't one of its sessions. Tell the operators.",
} as const;
