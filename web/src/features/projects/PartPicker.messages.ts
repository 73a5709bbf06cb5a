import { count } from "@/lib/format";

/** Singular and plural of what a picker finds. */
const nouns: Record<Kind, [one: string, many: string]> = {
  REPOSITORY: ["repository", "repositories"],
  DATASET: ["dataset", "datasets"],
};

type Kind = "REPOSITORY" | "DATASET";

export const partPickerMessages = {
  placeholder: "Name, tag or author",
  search: (kind: Kind) => `Search ${nouns[kind][1]}`,
  searching: "Searching…",
  none: (kind: Kind) => `No ${nouns[kind][1]} found`,
  found: (number: number, kind: Kind) => count(number, ...nouns[kind]),
  failed: (reason: string) => ` The search failed: ${reason}`,
  starred: "Starred by you",
  newest: "Newest",
} as const;
