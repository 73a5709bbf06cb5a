import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { expect, test } from "vitest";
import { matchPath } from "@/lib/paths";
import { divided, source, table } from "./pages.ts";

test.each([...new Set(table.map(({ module }) => module))])("%s has the component of its name", (module) => {
  const text = readFileSync(new URL(`../src/${module}.tsx`, import.meta.url), "utf8");
  expect(text).toContain(`export function ${basename(module)}(`);
});

test("pages that share a component share its chunk", () => {
  const text = source([
    { path: "/a", title: "A", module: "x/ListPage", type: "MODEL" },
    { path: "/b", title: "B", module: "x/ListPage", guard: true },
  ]);
  expect(text.match(/import\("\/src\/x\/ListPage\.tsx"\)\.then\(\(found\) => found\.ListPage\)/g)).toHaveLength(1);
  expect(text).toContain('{ ...{"path":"/a","title":"A","type":"MODEL"}, load: load0 },');
  expect(text).toContain('{ ...{"path":"/b","title":"B","guard":true}, load: load0 },');
});

test("the rows for everybody come first, and match no address of the others", () => {
  const { open, others } = divided(table);
  expect(open.length + others.length).toBe(table.length);
  expect(open.some(({ guard }) => guard)).toBe(false);
  expect(others.at(-1)?.path).toBe("/*");
  for (const { path } of others.filter(({ guard }) => guard)) {
    expect(open.filter((row) => matchPath(row.path, path.replace("*", "x"))).map((row) => row.path)).toEqual([]);
  }
});
