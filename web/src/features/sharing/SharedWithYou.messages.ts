export const sharedWithYouMessages = {
  title: "Shared with you",
  of: "of {owner} · {ends}",
  running: "Running",
  notRunning: "Not running",
  see: "See",
  open: "Open",
  openMeans: (owner: string) => `Opened, you work in it as ${owner}.`,
  copy: "Take a copy",
  copyOne: (session: string) => `Take a copy of ${session}`,
} as const;
