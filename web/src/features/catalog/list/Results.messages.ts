import { count } from "@/lib/format";

export const resultsMessages = {
  kept: "Your search is still here.",
  label: "Results",
  total: (results: number) => count(results, "result", "results"),
  searching: "Searching…",
  compact: "Compact list",
  none: "Nothing found",
  noPage: (page: number) => `There is no page ${page}.`,
  pages: (pages: number) => `The last page is ${pages}.`,
  showPage: (page: number) => `Show page ${page}`,
} as const;
