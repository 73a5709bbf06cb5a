import { count } from "@/lib/format";

export const healthMessages = {
  subtitle: "What this server needs to work, and what to do where something is wrong.",
  loading: "Checking the server",
  failed: "The server couldn't be checked.",
  well: "Nothing needs to be fixed.",
  fix: (checks: number) => `${count(checks, "thing needs", "things need")} to be fixed.`,
  advised: (checks: number) => `Nothing is broken, but ${count(checks, "thing", "things")} should be set up.`,
  checked: "Checked {moment}",
  again: "Check again",
  checks: "Checks",
  states: { bad: "Fix", advised: "Set up", good: "OK" },
  others: "`cairn doctor` on the server also checks its addresses, clock, names and files.",
} as const;
