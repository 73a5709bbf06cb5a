import { count } from "@/lib/format";

export const accountsPageMessages = {
  subtitle: "Who may start sessions on this server, and who manages accounts. Those waiting come first.",
  decide: "Decide by e-mail",
  search: "Search accounts",
  searchHint: "A part of the e-mail or name",
  show: "Show accounts",
  waiting: "Waiting",
  all: "All",
  loading: "Loading accounts",
  list: "Accounts",
  total: (accounts: number) => count(accounts, "account", "accounts"),
  failed: "The accounts couldn't be loaded.",
  nobodyWaits: "Nobody is waiting to be enabled.",
  noMatch: "No account matches.",
  neverHere: "To decide about someone who has never signed in, use “Decide by e-mail”.",
  showAll: "Show all accounts",
  operatorsOnly: "Only operators can see and change accounts.",
  ask: (contact: string) =>
    `If you need something changed, ask ${contact === "" ? "the operators of this server" : contact}.`,
  sessions: "Go to your sessions",
  unknownOperator: "Whether you're an operator couldn't be checked.",
} as const;
