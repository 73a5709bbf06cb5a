/** What each scope lets a program do, in the order in which they are offered. */
export const scopeMessages = {
  read: { label: "Read", help: "Search, see and download what you can see, including your private entries." },
  run: { label: "Run", help: "Start, watch, stop and delete your sessions, download their work, and start runs." },
  write: { label: "Write", help: "Add, change and delete your entries and projects, and star entries." },
} as const;
