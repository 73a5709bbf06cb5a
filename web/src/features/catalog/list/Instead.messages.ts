import { count } from "@/lib/format";

export const insteadMessages = {
  instead: "Nothing matched “{text}”. Showing results for {words}.",
  whole: (results: number) =>
    results === 0
      ? "Nothing has all the words of “{text}”. These have most of them, the best all but {words}."
      : `${count(results, "result has", "results have")} all the words of “{text}”. The others have most of them, the best all but {words}.`,
  words: (words: readonly string[]) => words.map((word) => `“${word}”`).join(", "),
} as const;
