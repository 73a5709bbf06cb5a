import { expect, test } from "vitest";
import { type ComparedCell, causeIn, cellIn, cellsToShow, type Line, pictureOf, sideBySide } from "./comparison";

const line = (op: Line["op"], text: string): Line => ({ op, text });

test("cells that differ come first, and those with nothing to see aren't shown", () => {
  const verdicts: ComparedCell["verdict"][] = [
    "IDENTICAL",
    "LOOKS_THE_SAME",
    "DIFFERENT",
    "NOT_RUN",
    "VARIES",
    "DIFFERENT",
  ];
  const cells = verdicts.map((verdict, author) => ({ author, run: author, verdict }));
  const shown = cellsToShow({ largestRelativeDifference: 0, cells });
  expect(shown.map(({ author }) => author)).toEqual([2, 5, 4, 1]);
});

test("cells have their numbers among those with code, and the one that failed is left to the log", () => {
  const cells: ComparedCell[] = [
    { author: 1, run: 1, verdict: "IDENTICAL" },
    { author: 4, run: 4, verdict: "DIFFERENT" },
    { author: 7, run: 7, verdict: "DIFFERENT", failed: "ValueError" },
  ];
  expect(cellsToShow({ largestRelativeDifference: 0, cells }).map(({ number }) => number)).toEqual([2]);
});

test("a log begins at the cell that failed, before its source", () => {
  expect(cellIn(["start", "The code cell 2 of 3 failed:", "----> 1 f()", "ValueError: no"])).toBe(1);
  expect(cellIn(["start", "The run ended before the first cell:", "It has no kernel."])).toBe(1);
  expect(cellIn(["pip: error"])).toBe(-1);
});

test("lines that stand for each other are beside each other", () => {
  const { author, run } = sideBySide([
    line("same", "a"),
    line("removed", "b"),
    line("added", "B"),
    line("added", "C"),
    line("same", "d"),
    line("removed", "e"),
  ]);
  expect(author.map(({ text }) => text)).toEqual(["a", "b", undefined, "d", "e"]);
  expect(run.map(({ text }) => text)).toEqual(["a", "B", "C", "d", undefined]);
  expect(run.map(({ changed }) => changed)).toEqual([false, true, true, false, false]);
});

test("pictures are found by their places, and are nothing that could run", () => {
  const data = { "image/png": ["iVBO\n", "Rw0K\n"], "image/svg+xml": '<svg onload="x()"/>' };
  const notebook = { cells: [{}, { outputs: [{}, { data }] }] };
  expect(pictureOf(notebook, 1, 1, "image/png")).toBe("data:image/png;base64,iVBORw0K");
  expect(pictureOf(notebook, 1, 1, "image/svg+xml")).toBe("data:image/svg+xml,%3Csvg%20onload%3D%22x()%22%2F%3E");
  expect(pictureOf(notebook, 1, 0, "image/png")).toBeUndefined();
  expect(pictureOf(notebook, -1, 0, "image/png")).toBeUndefined();
});

test.each([
  [["start", "ValueError: no", "bye"], 1],
  [["pip: error: no such package", "done"], 0],
  [["error", "The run ended at the code cell 2 of 3:", "It took longer than 10 minutes.", ""], 2],
  [["all is well"], -1],
  [[], -1],
])("the cause in %j is line %d", (lines, index) => {
  expect(causeIn(lines)).toBe(index);
});
