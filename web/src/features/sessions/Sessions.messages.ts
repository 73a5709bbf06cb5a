export const sessionsMessages = {
  list: "Sessions",
  loading: "Loading sessions",
  cannotLoad: "Your sessions cannot be loaded.",
  outOfDate: (at: string) => `The list couldn't be refreshed. It was last updated at ${at}.`,
  asksAgain: (reason: string) => `${reason} Retrying automatically.`,
  retry: "Retry now",
  none: "No sessions found.",
  howToStart: "Press Run on any entry, or start a project below.",
  browse: "Browse the catalog",
  showAll: "Show all states",
  quota: (used: number, limit: number) => `${used} of ${limit} in use`,
  full: (limit: number) => `${limit} of ${limit} in use. Terminate one to start another.`,
  /** Read out when a session is found in another state. */
  changed: {
    CREATED: (session: string) => `“${session}” is starting.`,
    RUNNING: (session: string) => `“${session}” is running.`,
    FINISHED: (session: string, reason: string) => `“${session}” has finished. ${reason}`.trim(),
    TERMINATED: (session: string) => `“${session}” was terminated.`,
    ERROR: (session: string, reason: string) => `“${session}” failed. ${reason}`.trim(),
    DELETED: (session: string) => `“${session}” was deleted.`,
  },
  deleteAll: "Delete All",
  deleteAllTitle: "Delete all sessions",
  deleteAllName: "delete all sessions",
  deleteAllMeans: (sessions: number) =>
    sessions === 1 ? "Your session is stopped." : `All ${sessions} sessions, whatever the filter shows, are stopped.`,
  deleteAllKeeps: (until: string | undefined) =>
    `What is in Recently deleted afterwards can be undeleted${until === undefined ? "" : ` until ${until}`}, with its files.`,
  /** Of sessions without saved versions. */
  deleteAllLoses: (names: readonly string[]) => `The files of these are deleted permanently: ${names.join(", ")}.`,
} as const;
