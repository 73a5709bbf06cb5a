import { count } from "@/lib/format";

export const sessionLogMessages = {
  title: "Log",
  label: (session: string) => `Log of ${session}`,
  loading: "The log is being read.",
  empty: "There is no log of this launch.",
  failed: (reason: string) => `The log cannot be read. ${reason}`,
  retry: "Retry",
  more: (lines: number) => count(lines, "more line", "more lines"),
} as const;
