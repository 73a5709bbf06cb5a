import { count } from "@/lib/format";

export const resultsMessages = {
  kept: "Your search is still here.",
  label: "Results",
  total: (results: number) => count(results, "result", "results"),
  searching: "Searching…",
  compact: "Compact list",
  compactDetail: "One entry per line, without pictures",
  none: "Nothing found",
  noPage: (page: number) => `There is no page ${page}.`,
  pages: (pages: number) => `There ${pages === 1 ? "is" : "are"} only ${count(pages, "page", "pages")}.`,
  showPage: (page: number) => `Show page ${page}`,
  instead: "Nothing matched “{text}”. Showing results for {words}.",
  whole: (results: number) =>
    results === 0
      ? "Nothing has all the words of “{text}”. These have most of them, the best all but {words}."
      : `${count(results, "result has", "results have")} all the words of “{text}”. The others have most of them, the best all but {words}.`,
  words: (words: readonly string[]) => words.map((word) => `“${word}”`).join(", "),
} as const;
