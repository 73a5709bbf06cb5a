import { expect, test } from "vitest";
import type { Run } from "@/api/types";
import { notTried, verdictLooks } from "@/features/catalog/runWords";
import { looksOf, ranWords, shortWordsOf, tookWords, wordsOf } from "./runLooks";

const cells = { total: 4, ran: 4, same: 1, close: 1, differs: 0, varies: 0 };

test.each<[Partial<Run>, string, string]>([
  [{ state: "QUEUED" }, "Waiting", "sync"],
  [{ state: "RUNNING" }, "Running", "sync"],
  [{ state: "STOPPED", reason: "It was stopped." }, "Stopped", "more"],
  [{ verdict: "CLEAN" }, "Ran clean", "check"],
  [{ verdict: "DIFFERS", cells: { ...cells, differs: 1 } }, "1 of 3 outputs differs", "notEqual"],
  [{ verdict: "DIFFERS", cells: { ...cells, differs: 2, format: 1 } }, "2 of 4 outputs differ", "notEqual"],
  [
    { verdict: "DIFFERS", cells: { ...cells, differs: 2, format: 2 } },
    "2 of 4 outputs differ in formatting",
    "notEqual",
  ],
  [{ verdict: "NEEDS", needs: "internet", reason: "It needs the internet." }, "Needs the internet", "info"],
  [
    { verdict: "FAILED", cells: { ...cells, ran: 2 }, reason: "The module is missing." },
    "2 of 4 cells ran: the module is missing",
    "close",
  ],
  [{ verdict: "FAILED", cells: { ...cells, ran: 0 }, reason: "There is no kernel." }, "There is no kernel", "close"],
])("%j reads %s", (given, words, icon) => {
  const run = { state: "DONE", cells, ...given } as Run;
  expect(wordsOf(run)).toBe(words);
  expect(looksOf(run).icon).toBe(icon);
});

test("a reason that is told already isn't repeated", () => {
  const run = {
    state: "DONE",
    verdict: "FAILED",
    cells: { ...cells, ran: 2 },
    reason: "The module is missing.",
  } as Run;
  expect(shortWordsOf(run)).toBe("2 of 4 cells ran");
});

test.each([
  [{ total: 6, ran: 1, stopped: 3 }, "1 of 6 cells ran; stopped in cell 3. Cells 4 to 6 never ran."],
  [{ total: 6, ran: 4, stopped: 5 }, "4 of 6 cells ran; stopped in cell 5. Cell 6 never ran."],
  [{ total: 5, ran: 2, stopped: 3 }, "2 of 5 cells ran; stopped in cell 3. Cells 4 and 5 never ran."],
  [{ total: 1, ran: 0, stopped: 1 }, "0 of 1 cell ran; stopped in cell 1."],
  [{ total: 6, ran: 6 }, "All 6 cells ran."],
  [{ total: 6, ran: 5 }, "5 of 6 cells ran."],
])("of %j it says %s", (counted, words) => {
  expect(ranWords({ ...cells, ...counted })).toBe(words);
});

test.each<[Pick<Run, "verdict" | "needs">, string]>([
  [{ verdict: "NEEDS", needs: "time" }, "Was stopped after 10 min"],
  [{ verdict: "NEEDS", needs: "memory" }, "Ended early, after 10 min"],
  [{ verdict: "FAILED" }, "Ended early, after 10 min"],
  [{ verdict: "DIFFERS" }, "10 min"],
  [{ verdict: "CLEAN" }, "10 min"],
])("a run that came to %j: %s", (run, words) => {
  expect(tookWords(run, "10 min")).toBe(words);
});

test("every verdict has a sign of its own, and so has none, which isn't that of the Run button", () => {
  const signs = ["play", ...[...Object.values(verdictLooks), notTried].map(({ icon }) => icon)];
  expect(new Set(signs).size).toBe(signs.length);
});
