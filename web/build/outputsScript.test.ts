import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

interface Cell {
  cell_type: string;
  id?: string;
  get_text(): string;
}

interface Script {
  written(outputs: object[]): string;
  cellOf(cells: Cell[], execution: { cell?: { id?: string; index: number }; code: string }): Cell | undefined;
  noteOf(execution: object, wasRunning: boolean): string;
}

const source = readFileSync(new URL("../../internal/sessions/origin/pages/outputs.js", import.meta.url), "utf8");
const { written, cellOf, noteOf } = (await import(
  /* @vite-ignore */ `data:text/javascript,${encodeURIComponent(source)}`
)) as Script;

describe("the cell of an execution", () => {
  const cells = ["# title", "same", "other", "same", "same"].map((text, at) => ({
    cell_type: at === 0 ? "markdown" : "code",
    ...(at === 2 && { id: "named" }),
    get_text: () => text,
  }));
  it.each([
    [{ cell: { id: "named", index: 4 }, code: "changed since" }, 2],
    [{ cell: { id: "", index: 3 }, code: "same" }, 3],
    [{ cell: { id: "gone", index: 4 }, code: "same" }, 4],
    [{ code: "same" }, 1],
    [{ cell: { index: 1 }, code: "# title" }, undefined],
    [{ cell: { index: 1 }, code: "never saved" }, undefined],
  ])("%j is number %s", (execution, index) => {
    expect(cellOf(cells, execution)).toBe(index === undefined ? undefined : cells[index]);
  });
});

describe("what a cell says", () => {
  const took = { began: "2026-11-29T10:00:00Z", ended: "2026-11-29T10:41:00Z" };
  it.each([
    [{ status: "ok", ...took }, false, "Finished while you were away, in 41 min."],
    [{ status: "ok", seen: true, ...took }, false, ""],
    [{ status: "ok", seen: true, ...took }, true, "Finished while you were away, in 41 min."],
    [{ status: "ok" }, false, "Finished while you were away."],
    [{ status: "error" }, false, "Failed while you were away."],
    [{ status: "" }, true, ""],
    [{ status: "", input: {} }, false, "This cell is waiting for your input."],
    [{ status: "aborted" }, false, "Not executed, because a cell before it failed while you were away."],
    [{ status: "lost" }, false, "The kernel ended while you were away, before this cell had finished."],
  ])("of %j, running: %s, is %j", (execution, wasRunning, text) => {
    expect(noteOf(execution, wasRunning)).toBe(text);
  });
});

it("knows outputs that are the same in the file and as they came", () => {
  const inFile = [{ output_type: "stream", text: ["a\n", "b"], name: "stdout" }];
  expect(written(inFile)).toBe(written([{ name: "stdout", output_type: "stream", text: "a\nb" }]));
  expect(written(inFile)).not.toBe(written([{ name: "stdout", output_type: "stream", text: "a" }]));
  const display = { output_type: "display_data", data: { "text/plain": "x" }, metadata: {} };
  expect(written([display])).toBe(written([{ ...display, transient: { display_id: "1" } }]));
});
