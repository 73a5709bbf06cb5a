import { count } from "@/lib/format";

export const catalogGlimpseMessages = {
  title: "New in the catalog",
  all: (total: number) => `See all ${count(total, "entry", "entries")}`,
  starred: "See the most starred",
  failure: "What is in the catalog could not be read.",
  none: "There are no entries yet.",
  add: "Add the first one",
} as const;
