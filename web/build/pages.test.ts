import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { expect, test } from "vitest";
import { guardedSource, source, table } from "./pages.ts";

test.each([...new Set(table.map(({ module }) => module))])("%s has the component of its name", (module) => {
  const text = readFileSync(new URL(`../src/${module}.tsx`, import.meta.url), "utf8");
  expect(text).toContain(`export function ${basename(module)}(`);
});

test("pages that share a component share its chunk", () => {
  const rows = [
    { path: "/a", title: "A", module: "x/ListPage", type: "MODEL" },
    { path: "/b", title: "B", module: "x/ListPage", guard: true },
    { path: "/c", title: "C", module: "x/OwnPage", guard: true },
    { path: "/d", title: "D", module: "x/OwnPage", guard: true },
  ];
  const [text, guarded] = [source(rows), guardedSource(rows)];
  expect(text.match(/import\("\/src\/x\/ListPage\.tsx"\)\)\.ListPage/g)).toHaveLength(1);
  expect(text).toContain('{ ...{"path":"/a","title":"A","guard":false,"type":"MODEL"}, load: load0 },');
  expect(text).toContain('{ ...{"path":"/b","title":"B","guard":true}, load: load0 },');
  expect(guarded.match(/import\("\/src\/x\/OwnPage\.tsx"\)\)\.OwnPage/g)).toHaveLength(1);
  expect(text).toContain('{ ...{"path":"/c","title":"C","guard":true}, load: guarded[0] },');
  expect(text).toContain('{ ...{"path":"/d","title":"D","guard":true}, load: guarded[0] },');
});

test("visitors load nothing of the pages for signed-in people", () => {
  const rows = [{ path: "/a", title: "A", module: "x/OwnPage", guard: true }];
  expect(source(rows)).not.toContain("OwnPage");
  expect(guardedSource(rows)).not.toContain("virtual:pages");
});
