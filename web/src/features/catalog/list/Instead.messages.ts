import { count } from "@/lib/format";

const quoted = (words: readonly string[], between: string) => words.map((word) => `“${word}”`).join(between);

export const insteadMessages = {
  corrected: (text: string, word: string) => `Nothing matched “${text}”. Showing results for “${word}”.`,
  nowhere: (words: readonly string[]) => `No entry mentions ${quoted(words, " or ")}.`,
  noneWhole: (text: string) => `No entry matches all of “${text}”.`,
  someWhole: (text: string, whole: number) => `${count(whole, "entry matches", "entries match")} all of “${text}”.`,
  closest: (words: readonly string[]) => `The closest match everything but ${quoted(words, ", ")}.`,
  others: (words: readonly string[]) => `The closest of the others match everything but ${quoted(words, ", ")}.`,
  closestElse: "The closest match everything else.",
} as const;
