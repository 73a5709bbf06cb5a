import { count } from "@/lib/format";

export const resultsMessages = {
  kept: "What you searched for is kept.",
  label: "Results",
  total: (results: number) => count(results, "result", "results"),
  none: "Nothing found",
  noPage: (page: number) => `There is no page ${page}.`,
  pages: (pages: number) => `The results have ${count(pages, "page", "pages")}.`,
  showPage: (page: number) => `Show page ${page}`,
  nothingMatched: (text: string) => `Nothing matched “${text}”. Showing results for `,
  corrected: (text: string) => `“${text}”`,
  end: ".",
} as const;
