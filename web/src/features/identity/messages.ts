import { count } from "@/lib/format";

/** What a person reads about signing in and about accounts. Texts of the specification are kept to the letter. */

export const authMessages = {
  ended: "Your sign-in has ended. Sign in again to go on.",
  signedOut: "You have been signed out",
  unreachable: "The sign-in service cannot be reached. It is tried again by itself.",
  cannotRenew: "Your sign-in cannot be renewed",
  signInFailed: "Sign-in is unavailable",
  signInFailedReason: "The sign-in service cannot be reached. Try again in a moment.",
  signOutFailed: "Signed out here only",
  signOutFailedReason:
    "The sign-in service cannot be reached, so its own session may go on. Close the browser on a shared computer.",
} as const;

export const requireAuthMessages = {
  page: "Sign in",
  title: "You are not signed in.",
  signIn: "Sign in",
  catalog: "Go to the catalog",
} as const;

export const loginMessages = {
  signIn: "Institution Login",
  retry: "Try again",
  /** Where a sign-in leads, by the beginning of the address. */
  places: {
    "/sessions": "your sessions",
    "/add": "what you want to add",
    "/resources/starred": "your starred entries",
    "/accounts": "the accounts",
  },
  elsewhere: "where you were",
  here: "Sign in to star entries, to add your own, and to run them.",
  goOn: (place: string) => `Sign in to go on to ${place}.`,
  atInstitution: (host: string) =>
    `You sign in at ${host} and come back here. Your password stays there: this site never sees it.`,
  atThisServer: "You sign in on the next page and come back here.",
  loading: "Loading OIDC configuration...",
  unavailable: "Sign-in is unavailable.",
  unavailableReason:
    "The sign-in service does not answer. It is tried again by itself; you can browse the catalog meanwhile.",
  firstTime: (contact: string) =>
    `New here? Signing in makes your account. ${contact === "" ? "The operators" : contact} may have to enable it before you can start sessions.`,
  browse: "Browse the catalog without signing in",
} as const;

export const callbackMessages = {
  signingIn: "Signing in",
  answered: "That is all here. Close this window and go on where you were.",
  title: "The sign-in was not completed.",
  refused: "It was cancelled, or your institution refused it. You are not signed in; all else is as it was.",
  failed:
    "It took too long, was used already, or the sign-in service cannot be reached. You are not signed in; all else is as it was.",
  retry: "Try again",
  catalog: "Go to the catalog",
} as const;

export const signInPromptMessages = {
  title: "You are signed out",
  signIn: "Sign in",
  later: "Not now",
  leave: "Leave this page to sign in",
  beside: "A window opens for that, and this page stays as it is.",
  failed:
    "That did not work: the browser blocked the window, the sign-in was refused, or its service cannot be reached. This page stays as it is. You can also sign in in another tab; this page notices.",
} as const;

export const userMenuMessages = {
  somebody: "Signed in",
  label: (name: string, waiting: number) =>
    `Account of ${name}${waiting > 0 ? `, ${count(waiting, "account waits", "accounts wait")}` : ""}`,
  accounts: "Accounts",
  waiting: (waiting: number) => `${waiting} waiting`,
  manyWaiting: (waiting: number) => (waiting > 99 ? "99+" : String(waiting)),
  logout: "Logout",
} as const;

export const accountsPageMessages = {
  subtitle: "Who may start sessions on this server, and who decides about that. Those who wait come first.",
  decide: "Decide by e-mail",
  search: "Search accounts",
  searchHint: "A part of the e-mail or name",
  show: "Show accounts",
  waiting: "Waiting",
  all: "All",
  loading: "Loading accounts",
  list: "Accounts",
  total: (accounts: number) => count(accounts, "account", "accounts"),
  failed: "The accounts could not be read.",
  nobodyWaits: "Nobody waits to be enabled.",
  noMatch: "No account matches.",
  neverHere: "Somebody who never signed in here is decided about by e-mail.",
  showAll: "Show all accounts",
  operatorsOnly: "Only operators see and change accounts.",
  ask: (contact: string) =>
    `If you need something changed, ask ${contact === "" ? "the operators of this server" : contact}.`,
  sessions: "Go to your sessions",
  unknownOperator: "It could not be found out whether you are an operator.",
} as const;

export const accountRowMessages = {
  failed: "Error changing account",
  neverSignedIn: "not signed in yet",
  since: (day: string) => `here since ${day}`,
  operator: "Operator",
  own: "Your own account",
  action: (label: string, email: string) => `${label} ${email}`,
  more: (email: string) => `More about ${email}`,
  cancel: "Cancel",
} as const;

export const accountStateMessages = {
  enabled: "Enabled",
  disabled: "Disabled",
  notEnabled: "Not enabled",
  waiting: "Waiting",
  byRule: "by the rule of this server",
} as const;

export const accountChangeMessages = {
  enable: { label: "Enable", done: "Account enabled" },
  disable: {
    label: "Disable",
    done: "Account disabled",
    question: {
      title: "Disable this account",
      consequence:
        "Within ten seconds its ways into running sessions end, and the sessions are stopped. The work in them is kept. It can still browse, star and add, but starts no session until it is enabled again.",
    },
  },
  promote: {
    label: "Make operator",
    done: "Account is an operator now",
    question: {
      title: "Make this account an operator",
      consequence: "Operators see all accounts and decide about each of them, and may start sessions.",
    },
  },
  demote: {
    label: "Take operator's rights",
    done: "Account is no operator any more",
    question: {
      title: "Take an operator's rights away",
      consequence: "It no longer sees and decides about accounts. Whether it may start sessions stays as it is.",
    },
  },
} as const;

export const decideDialogMessages = {
  title: "Decide by e-mail",
  email: "E-mail",
  help: "It counts from the first sign-in on, also for somebody who was never here.",
  decision: "Decision",
  enable: "May start sessions",
  promote: "Operator: decides about accounts, and may start sessions",
  disable: "May not start sessions; those that run are stopped, their work is kept",
  cancel: "Cancel",
  save: "Save",
} as const;
