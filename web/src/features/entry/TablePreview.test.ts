import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import type { DatasetTable } from "@/api/types";
import { TablePreview } from "./TablePreview";

test("a column without a name has one for those who can't see its place, and in the choice of plots", () => {
  const numbers = { count: 2, minimum: 0, maximum: 1, mean: 0.5, lines: [], histogram: [] };
  const table = {
    ...{
      path: "index.csv",
      header: true,
      rowsRead: 2,
      complete: true,
      moreColumns: 0,
      uneven: 0,
      encoding: "UTF-8",
      size: 9,
    },
    columns: ["", "0"].map((name) => ({ name, kind: "NUMBER", missing: 0, numbers })),
    rows: [
      ["0", "0.1"],
      ["1", "0.4"],
    ],
  } as unknown as DatasetTable;
  const html = renderToStaticMarkup(createElement(TablePreview, { table, chosen: undefined, onChoose: () => {} }));
  expect(html).toContain('<span class="visually-hidden">Column 1</span>');
  expect(html).toContain("<bdi>0</bdi>");
  expect(html).toMatch(/<option[^>]*>Column 1<\/option><option[^>]*>0<\/option>/);
});
