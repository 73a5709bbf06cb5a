import { count } from "@/lib/format";

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
