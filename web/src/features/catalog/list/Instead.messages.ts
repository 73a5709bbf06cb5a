import { count } from "@/lib/format";

const quoted = (words: readonly string[]) => words.map((word) => `“${word}”`).join(", ");

export const insteadMessages = {
  corrected: (text: string, word: string) => `Nothing matched “${text}”. Showing results for “${word}”.`,
  relaxed: (text: string, whole: number, words: readonly string[]) =>
    whole === 0
      ? `No entry matches all of “${text}”. The closest match everything but ${quoted(words)}.`
      : `${count(whole, "entry matches", "entries match")} all of “${text}”. The closest of the others match everything but ${quoted(words)}.`,
} as const;
