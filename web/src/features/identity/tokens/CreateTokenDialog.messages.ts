import { count } from "@/lib/format";

export const createTokenMessages = {
  title: "Create an access token",
  name: "Name",
  nameHelp: "So that you recognize it later, such as “Laptop” or “Nightly download”.",
  scopes: "What it may do",
  scopesNote: "No token can change accounts, create tokens, act as an operator, or open a session in a browser.",
  noScope: "Choose at least one of these, or the token could do nothing.",
  expires: "Ends after",
  days: (days: number) => count(days, "day", "days"),
  cancel: "Cancel",
  create: "Create",
} as const;
