import { expect, it } from "vitest";
import { cellsOf, type Executed } from "./cells";

const code = (...outputs: NonNullable<Executed["cells"][number]["outputs"]>) => ({
  ...{ cell_type: "code", source: ["a = 1\n", "a"], outputs },
});
const shown = (...outputs: NonNullable<Executed["cells"][number]["outputs"]>) =>
  cellsOf({ cells: [code(...outputs)] })[0]?.outputs;

it("cells have their places, and those with code their numbers", () => {
  const cells = cellsOf({
    cells: [{ cell_type: "markdown", source: "# A" }, code(), { cell_type: "raw", source: "r" }, code()],
  });
  expect(cells.map(({ index, number, kind, source }) => [index, number, kind, source])).toEqual([
    [0, undefined, "markdown", "# A"],
    [1, 1, "code", "a = 1\na"],
    [2, undefined, "raw", "r"],
    [3, 2, "code", "a = 1\na"],
  ]);
});

it("what was printed in parts is one text, without the colors of terminals", () => {
  expect(
    shown(
      { output_type: "stream", text: ["one\n", "\u001b[31mtwo\u001b[0m\n"] },
      { output_type: "stream", text: "three" },
    ),
  ).toEqual([{ kind: "text", text: "one\ntwo\nthree", cut: false }]);
});

it("a progress bar is shown as it ended", () => {
  expect(shown({ output_type: "stream", text: "10%\r50%\r100%\r\ndone" })).toEqual([
    { kind: "text", text: "100%\ndone", cut: false },
  ]);
});

it("pictures are addresses for an <img>, and HTML and scripts are never shown", () => {
  const html = { "text/html": "<script>x()</script>" };
  expect(
    shown(
      { output_type: "display_data", data: { "image/png": "iVBO\nRw0K", "text/plain": "<Figure>", ...html } },
      { output_type: "execute_result", data: { ...html, "text/plain": ["   a\n", "0  1"] } },
      { output_type: "display_data", data: { ...html, "application/javascript": "x()" } },
    ),
  ).toEqual([
    { kind: "picture", address: "data:image/png;base64,iVBORw0K" },
    { kind: "text", text: "   a\n0  1", cut: false },
    { kind: "other" },
  ]);
});

it("an exception is shown with its traceback, or else its name", () => {
  const error = { output_type: "error", ename: "ValueError", evalue: "no" };
  expect(shown({ ...error, traceback: ["\u001b[0;31mValueError\u001b[0m", "no"] })).toEqual([
    { kind: "error", text: "ValueError\nno", cut: false },
  ]);
  expect(shown(error)).toEqual([{ kind: "error", text: "ValueError: no", cut: false }]);
});

it("a text that would fill the page is cut", () => {
  const [text] = shown({ output_type: "stream", text: "x".repeat(30_000) }) ?? [];
  expect(text).toMatchObject({ kind: "text", cut: true });
});

const code1 = { cell_type: "code" };
it.each([
  ...[{}, { cells: "no" }, { cells: [{}, null] }, { cells: [{ ...code1, outputs: {} }] }],
  ...[{ cells: [{ ...code1, outputs: [null, { data: { "image/png": 1, "text/plain": {} } }] }] }],
])("%j breaks nothing", (notebook) => {
  expect(() => cellsOf(notebook as unknown as Executed)).not.toThrow();
});
