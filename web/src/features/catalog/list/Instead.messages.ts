import { count } from "@/lib/format";

const quoted = (words: readonly string[]) => words.map((word) => `“${word}”`).join(", ");

export const insteadMessages = {
  corrected: (text: string, word: string) => `Nothing matched “${text}”. Showing results for “${word}”.`,
  relaxed: (text: string, whole: number, words: readonly string[]) =>
    whole === 0
      ? `Nothing has all the words of “${text}”. These have most of them, the best all but ${quoted(words)}.`
      : `${count(whole, "result has", "results have")} all the words of “${text}”. The others have most of them, the best all but ${quoted(words)}.`,
} as const;
