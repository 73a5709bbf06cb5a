/*
 * All that people read of sessions, by component. What stands in quotes in the specification (toasts, "No sessions
 * found.", "delete all sessions") stays to the letter.
 */

import { count } from "@/lib/format";

export const dashboardMessages = {
  /** Kinds of sessions that are announced: their buttons are there, and off. */
  announced: ["VSCode", "Jupyter"],
  inDevelopment: (kind: string) =>
    `${kind} sessions are in development. Later you will be able to create new ${kind} sessions here.`,
  cannotStart: (reason: string) => `Sessions cannot be started now. ${reason}`,
} as const;

export const sessionsMessages = {
  /** The heading of the list, for those who go by headings. */
  list: "Your sessions",
  loading: "Loading sessions",
  cannotLoad: "Your sessions cannot be loaded.",
  outOfDate: (at: string) => `The list could not be brought up to date: this is how it was at ${at}.`,
  asksAgain: (reason: string) => `${reason} It is asked for again by itself.`,
  retry: "Retry now",
  none: "No sessions found.",
  howToStart: "Start one from a project: one of yours below, or a published one from the catalog.",
  browse: "Browse the catalog",
  showAll: "Show all states",
  quota: (used: number, limit: number) => `${used} of ${limit} in use`,
  full: (limit: number) => `${limit} of ${limit} in use. Terminate one to start another.`,
  /** Read out when a session is found in another state. */
  changed: {
    CREATED: (session: string) => `“${session}” is starting.`,
    RUNNING: (session: string) => `“${session}” is running.`,
    FINISHED: (session: string, reason: string) => `“${session}” has finished. ${reason}`.trim(),
    TERMINATED: (session: string) => `“${session}” is terminated.`,
    ERROR: (session: string, reason: string) => `“${session}” broke. ${reason}`.trim(),
  },
  deleteAll: "Delete All",
  deleteAllTitle: "Delete all sessions",
  deleteAllName: "delete all sessions",
  deleteAllMeans: (sessions: number) =>
    sessions === 1
      ? "Your session is stopped, and the files in its work folder are gone for good."
      : `All ${sessions} sessions, whatever the filter shows, are stopped, and the files in their work folders are gone for good.`,
} as const;

export const sessionFilterMessages = {
  label: "Show sessions in state",
  all: "All",
} as const;

export const sessionCardMessages = {
  project: "Project",
  repository: "Repository",
  datasets: "Datasets",
  noDatasets: "none",
  leftOut: (dataset: string) => `${dataset} (left out)`,
  runsOn: "Runs on",
  since: "Since",
  started: "Started",
  lastUsed: "Last used",
  download: "Download work",
  restart: "Restart",
  terminate: "Terminate",
  open: "Open",
  delete: (session: string) => `Delete session ${session}`,
  deleteTitle: "Delete session",
  deleteMeans: "It is stopped, and the files in its work folder are gone for good.",
  terminated: "Session terminated",
  cannotTerminate: "Error terminating session",
  cannotDownload: "Error downloading work",
} as const;

export const sessionLifeMessages = {
  stopping: "It is being stopped. Its work is kept.",
  startsInTab: "It starts in its own tab.",
  queued: (place: number) => `Number ${place} in the queue. It starts by itself when there is room.`,
  cancel: "Cancel",
  starting: "Starting",
  underWay: (step: string) => `${step}. Open shows all steps.`,
  stops: (when: string) => `Stops ${when} unless it is used.`,
  unknownReason: "It broke for a reason that is not known.",
  kept: (day: string) => `Its work is kept until ${day}. Later the operators may remove it.`,
} as const;

export const sessionLogMessages = {
  title: "Log",
  label: (session: string) => `Log of ${session}`,
  loading: "The log is being read.",
  empty: "There is no log of this launch.",
  failed: (reason: string) => `The log cannot be read. ${reason}`,
  retry: "Retry",
} as const;

/** When something will happen, in words that follow a verb. */
export const momentMessages = {
  soon: "within a minute",
  within: (time: string) => `in ${time}`,
  minutes: (minutes: number) => count(minutes, "minute", "minutes"),
  hours: (hours: number) => count(hours, "hour", "hours"),
  day: (day: string) => `on ${day}`,
} as const;

export const deleteMessages = {
  deleted: "Session deleted",
  allDeleted: "Sessions deleted",
  cannotDelete: "Error deleting session",
  error: "Error",
  cannotDeleteAll: (reason: string) => `Failed to delete all sessions. ${reason}`,
} as const;

export const newSessionMessages = {
  title: "New session",
  cancel: "Cancel",
  create: "Create session",
  /** Around the name of the project. */
  runs: ["It runs the project", "in a new tab."],
  cannotStart: "Sessions cannot be started here.",
  name: "Session name",
  nameHelp: "Session names are private: only you see them.",
  nameRequired: "Session name is required",
  nameTooLong: (most: number) => `At most ${most} characters.`,
  defaultName: (day: string, project: string) => `${day} ${project} Session`,
  engine: "Where it runs",
} as const;

export const forecastMessages = {
  usual: (time: string) => `Usually ready in ${time}.`,
  usualAndSlow: (time: string, slow: string) => `Usually ready in ${time}, nine times of ten in ${slow}.`,
  minutes: (minutes: number) => count(minutes, "minute", "minutes"),
  seconds: (seconds: number) => count(seconds, "second", "seconds"),
} as const;

/** Why an account may not start sessions. */
export const notEnabledMessages = {
  noAddress:
    "You cannot start sessions yet: your identity provider gives no verified e-mail address for you. Verify your address there and sign in again.",
  askThem: (email: string, contact: string) =>
    `You cannot start sessions yet: the operators have to enable your account (${email}). Ask ${contact || "the operators of this server"}.`,
  wordless: (contact: string) =>
    `Your account was probably just created and is not enabled yet. Contact ${contact || "the operators"}.`,
} as const;

export const openMessages = {
  starting: "Starting session",
  opening: "Opening session",
  becomesSession: "This tab becomes your session.",
  toSessions: "Go to your sessions",
  nothing: "There is no session to open here.",
  servesOnce: "This address serves once. Open the session from your list.",
  blocked: "The browser blocked the new tab",
  blockedHelp: "Open it with this link.",
  blockedLink: "Open the session",
  foreignAddress: "The server named an address that is not one of its sessions. Tell its operators.",
} as const;

/** What is said of a request to open a session when it went well, and when it failed. */
export const outcomeTitles = {
  start: { done: "Session started", failed: "Error starting session" },
  restart: { done: "Session resumed", failed: "Error resuming session" },
  open: { done: "Session resumed", failed: "Error resuming session" },
} as const;
