import { count } from "@/lib/format";

export const resultsMessages = {
  kept: "Your search is still here.",
  label: "Results",
  total: (results: number) => count(results, "result", "results"),
  searching: "Searching…",
  compact: "Compact list",
  compactDetail: "One entry below the other, without pictures",
  none: "Nothing found",
  noPage: (page: number) => `There is no page ${page}.`,
  pages: (pages: number) => `The results have ${count(pages, "page", "pages")}.`,
  showPage: (page: number) => `Show page ${page}`,
  nothingMatched: (text: string) => `Nothing matched “${text}”. `,
  instead: "Showing results for ",
  whole: (results: number, text: string) =>
    results === 0
      ? `Nothing has all words of “${text}”. These have most of them, the best all but `
      : `${count(results, "result has", "results have")} all words of “${text}”. The others have most of them, the best all but `,
  words: (words: readonly string[]) => words.map((word) => `“${word}”`).join(", "),
  end: ".",
} as const;
