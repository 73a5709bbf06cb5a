export const sharedWithYouMessages = {
  title: "Shared with you",
  of: "{owner} · {ends}",
  running: "Running",
  notRunning: "Not running",
  see: "See",
  open: "Open",
  openMeans: (owner: string) => `If you open it, you work with the rights of ${owner}.`,
  copy: "Take a copy",
  copyOne: (session: string) => `Take a copy of ${session}`,
} as const;
