import { expect, test } from "vitest";
import type { LookCell, SessionView } from "@/api/types";
import { applyChange, notebooksOf, runningCell } from "./view";

const cell = (source: string, state = ""): LookCell => ({
  ...{ id: "", kind: "code", source, count: null, state, outputs: [] },
});

const view: SessionView = {
  number: 7,
  sessionName: "Waves",
  holds: "Spikes",
  status: "RUNNING",
  note: "",
  present: [],
  notebooks: [],
  files: [],
  moreFiles: false,
  notebook: {
    path: "a.ipynb",
    language: "python",
    isBusy: false,
    cut: false,
    cells: [cell("one"), cell("two"), cell("three")],
  },
};

test("fields are replaced whole, and the rest stays the same object", () => {
  const after = applyChange(view, { number: 8, fields: { note: "It's away.", status: "FINISHED" } });
  expect(after).toEqual({ ...view, number: 8, note: "It's away.", status: "FINISHED" });
  expect(after?.notebook).toBe(view.notebook);
  expect(after?.files).toBe(view.files);
});

test("a cell is replaced, and the others stay the same objects", () => {
  const changed = cell("two", "running");
  const after = applyChange(view, {
    number: 8,
    fields: {},
    notebook: { fields: { isBusy: true }, count: 3, cells: { 1: changed } },
  });
  expect(after?.notebook?.isBusy).toBe(true);
  expect(after?.notebook?.path).toBe("a.ipynb");
  expect(after?.notebook?.cells[1]).toBe(changed);
  for (const at of [0, 2]) expect(after?.notebook?.cells[at]).toBe(view.notebook?.cells[at]);
  expect(view.notebook?.cells[1]?.state).toBe("");
});

test("cells are added and removed at the end", () => {
  const change = (count: number, cells: Record<string, LookCell>) =>
    applyChange(view, { number: 8, fields: {}, notebook: { fields: {}, count, cells } })?.notebook?.cells;
  expect(change(4, { 3: cell("four") })?.map(({ source }) => source)).toEqual(["one", "two", "three", "four"]);
  expect(change(1, {})?.map(({ source }) => source)).toEqual(["one"]);
  expect(change(0, {})).toEqual([]);
});

test("the notebook goes away", () => {
  expect(applyChange(view, { number: 8, fields: { notebook: null } })?.notebook).toBeNull();
});

test.each([
  ["one was missed", view, { number: 9, fields: {} }],
  ["it's an old one", view, { number: 7, fields: {} }],
  ["a cell is missing", view, { number: 8, fields: {}, notebook: { fields: {}, count: 4, cells: {} } }],
  [
    "there is no notebook",
    { ...view, notebook: null },
    { number: 8, fields: {}, notebook: { fields: {}, count: 1, cells: { 0: cell("a") } } },
  ],
])("it doesn't follow: %s", (_, before, change) => {
  expect(applyChange(before, change)).toBeUndefined();
});

test("the cell that is executed is found, also while it waits for input", () => {
  expect(runningCell([cell("a", "ok"), cell("b", "running"), cell("c", "waiting")])).toBe(1);
  expect(runningCell([cell("a", "input")])).toBe(0);
  expect(runningCell([cell("a", "ok"), cell("b", "waiting")])).toBe(-1);
});

test("notebooks are listed once, those with a kernel first", () => {
  const file = (path: string, isFolder = false) => ({ path, isFolder, bytes: 1, modifiedAt: "" });
  expect(
    notebooksOf({
      notebooks: [{ path: "b.ipynb", busy: true, workedAt: "" }],
      files: [file("a.ipynb"), file("b.ipynb"), file("c.csv"), file("odd.ipynb", true)],
    }),
  ).toEqual(["b.ipynb", "a.ipynb"]);
});
