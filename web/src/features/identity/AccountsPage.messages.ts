import { count } from "@/lib/format";

export const accountsPageMessages = {
  subtitle: "Who can start sessions on this server, and who manages accounts. Accounts that are waiting come first.",
  decide: "Add by e-mail",
  search: "Search accounts",
  searchHint: "Part of an e-mail address or name",
  show: "Show accounts",
  waiting: "Waiting",
  all: "All",
  loading: "Loading accounts",
  list: "Accounts",
  total: (accounts: number) => count(accounts, "account", "accounts"),
  failed: "The accounts couldn't be loaded.",
  nobodyWaits: "No one is waiting to be enabled.",
  noMatch: "No accounts match.",
  neverHere: "To decide about someone who has never signed in, use “Add by e-mail”.",
  showAll: "Show all accounts",
  operatorsOnly: "Only operators can see and change accounts.",
  ask: (contact: string) =>
    `If you need something changed, ask ${contact === "" ? "the operators of this server" : contact}.`,
  sessions: "Go to your sessions",
  unknownOperator: "Your operator role couldn't be checked.",
} as const;
