import { expect, it } from "vitest";
import { type Counts, countsWords } from "./changes";

it.each<[Counts, string]>([
  [{ total: 3 }, "No cell printed anything that could be compared."],
  [{ same: 1 }, "The output of its cell is the same."],
  [{ same: 5, differs: 0 }, "The outputs of all 5 cells are the same."],
  [{ differs: 4 }, "4 cells differ."],
  [{ differs: 1, same: 2 }, "1 cell differs, 2 are the same."],
  [
    { differs: 2, varies: 1, missed: 3, close: 1, same: 1, ran: 8 },
    "2 cells differ, 1 differs from run to run, 3 weren't run, 1 is the same within tolerance, 1 is the same.",
  ],
])("%j is said as %j", (counts, words) => {
  expect(countsWords(counts)).toBe(words);
});
