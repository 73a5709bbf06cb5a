import { count } from "@/lib/format";

export const sessionLogMessages = {
  title: "Log",
  label: (session: string) => `Log of ${session}`,
  loading: "Loading the log.",
  empty: "This launch has no log.",
  failed: (reason: string) => `The log cannot be read. ${reason}`,
  retry: "Retry",
  more: (lines: number) => count(lines, "more line", "more lines"),
} as const;
