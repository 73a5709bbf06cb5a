import { count, number } from "@/lib/format";

export const catalogGlimpseMessages = {
  title: "New in the catalog",
  all: (total: number) => `See all ${count(total, "entry", "entries")}`,
  starred: "See the most starred",
  ran: (clean: number, tried: number) =>
    `${number(clean)} of ${count(tried, "entry that was run", "entries that were run")} ran clean.`,
  failure: "The catalog couldn't be loaded.",
  none: "There are no entries yet.",
  add: "Add the first one",
} as const;
