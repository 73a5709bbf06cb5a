import { expect, test } from "vitest";
import type { LastRun } from "@/api/types";
import { isStale, runWords } from "./runWords";

const now = Date.parse("2026-11-25T12:00:00Z");
const before = (days: number) => new Date(now - days * 86_400_000).toISOString();

function last(given: Partial<LastRun>): LastRun {
  const cells = { total: 17, ran: given.verdict ? 14 : 17, compared: 9, differs: 2 };
  return { id: "r", file: "a.ipynb", verdict: "CLEAN", at: before(3), seconds: 41.2, cells, ...given };
}

test.each<[Partial<LastRun>, string]>([
  [{}, "Ran clean 3 days ago in 41 s"],
  [{ at: before(0), seconds: 0.4 }, "Ran clean just now in less than 1 s"],
  [{ at: before(1), seconds: 1 }, "Ran clean yesterday in 1 s"],
  [{ at: before(45), seconds: 300 }, "Ran clean last month in 5 min"],
  [{ at: before(155) }, "Ran clean 5 months ago"],
  [{ cells: { total: 10, ran: 1, compared: 1, differs: 0 } }, "Ran clean 3 days ago in 41 s; 9 of 10 cells didn't run"],
  [
    { moved: true, cells: { total: 1, ran: 0, compared: 1, differs: 0 } },
    "Ran clean 3 days ago; 1 of 1 cell didn't run; the repository has changed since",
  ],
  [{ moved: true }, "Ran clean 3 days ago; the repository has changed since"],
  [{ verdict: "DIFFERS" }, "2 of 9 outputs differ"],
  [{ verdict: "DIFFERS", cells: { total: 1, ran: 1, compared: 1, differs: 1 } }, "1 of 1 output differs"],
  [{ verdict: "DIFFERS", at: before(155) }, "2 of 9 outputs differ (5 months ago)"],
  [{ verdict: "FAILED", reason: "The module nest is missing." }, "14 of 17 cells ran: the module nest is missing"],
  [{ verdict: "FAILED", reason: "GPU memory ran out." }, "14 of 17 cells ran: GPU memory ran out"],
  [{ verdict: "FAILED", reason: "ValueError: no" }, "14 of 17 cells ran: ValueError: no"],
  [{ verdict: "FAILED" }, "14 of 17 cells ran"],
  [
    { verdict: "FAILED", reason: "It doesn't start.", cells: { total: 0, ran: 0, compared: 0, differs: 0 } },
    "It doesn't start",
  ],
  [{ verdict: "FAILED", cells: { total: 3, ran: 0, compared: 0, differs: 0 } }, "Failed"],
  [{ verdict: "FAILED", moved: true }, "14 of 17 cells ran; the repository has changed since"],
  [{ verdict: "NEEDS", needs: "internet" }, "Needs the internet"],
  [{ verdict: "NEEDS", needs: "package" }, "Needs a package that is missing"],
  [{ verdict: "NEEDS", needs: "gpu" }, "Needs a GPU"],
  [{ verdict: "NEEDS" }, "Can't be run here"],
  [{ verdict: "NOTHING_TO_COMPARE" }, "Ran (no saved outputs)"],
  [{ verdict: "NOTHING_TO_COMPARE", cells: { total: 0, ran: 0, compared: 0, differs: 0 } }, "Nothing to run"],
])("%j reads %s", (given, words) => {
  expect(runWords(last(given), now)).toBe(words);
});

test("a run grows old after 90 days, or as soon as the repository changes", () => {
  expect(isStale(last({ at: before(89) }), now)).toBe(false);
  expect(isStale(last({ at: before(91) }), now)).toBe(true);
  expect(isStale(last({ moved: true }), now)).toBe(true);
});
