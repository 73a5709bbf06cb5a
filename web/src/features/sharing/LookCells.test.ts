import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import type { LookCell } from "@/api/types";
import { LookCells } from "./LookCells";

const script = "<script>alert(1)</script>";

const code = (state: string, ...outputs: LookCell["outputs"]): LookCell => ({
  ...{ id: script, kind: "code", source: script, count: 1, state, outputs },
});

const drawn = (...cells: LookCell[]): string =>
  renderToStaticMarkup(createElement(LookCells, { cells, following: false }));

it("nothing of a stranger's notebook becomes an element of the page", () => {
  const html = drawn(
    code(
      script,
      { output_type: "stream", text: script },
      { output_type: "display_data", data: { "text/html": script, "text/plain": script } },
      { output_type: "display_data", data: { "image/svg+xml": `<svg xmlns="x">${script}</svg>` } },
      { output_type: "display_data", data: { "text/html": script } },
      { output_type: "error", ename: script, evalue: script },
      { output_type: "display_data", data: { "image/png": { toString: script }, "text/plain": 1 } },
    ),
  );
  expect(html).not.toContain("<script");
  expect(html.match(/&lt;script&gt;/g)).toHaveLength(5);
  expect(html).toContain('<img src="data:image/svg+xml,%3Csvg');
  expect(html).toContain("can only be seen in the session itself");
});

it("a cell says what it has come to, as far as that is known", () => {
  for (const [state, word] of [
    ["running", "Running"],
    ["input", "Waits for input"],
    ["error", "Failed"],
  ] as const) {
    expect(drawn(code(state))).toContain(word);
  }
  for (const state of ["", "toString", "something new"]) {
    expect(drawn(code(state)).replaceAll("&lt;script&gt;alert(1)&lt;/script&gt;", "")).not.toMatch(/Badge|badge/);
  }
});

it("cells with code are counted, and the one that is executed is shown however far down it is", () => {
  const html = drawn(
    { ...code(""), kind: "markdown", source: "" },
    ...Array.from({ length: 60 }, () => code("")),
    code("running"),
  );
  expect(html).toContain("Code cell 61");
  expect(drawn(...Array.from({ length: 60 }, () => code("")))).toContain("Show 20 more cells");
});
