import { readFileSync } from "node:fs";
import { basename } from "node:path";
import type { Plugin } from "vite";

/** A row of pages.json, which the server reads too; internal/page documents the fields. */
export interface PageRow {
  path: string;
  title: string;
  /** The component's file below src, without extension; the component has the same name. */
  module: string;
  guard?: boolean;
  type?: string;
}

export const table = JSON.parse(readFileSync(new URL("../pages.json", import.meta.url), "utf8")) as PageRow[];

/** The module that loads the pages for people who are signed in: others need no names of their files. */
const guarded = "virtual:guarded-pages";

/** What `virtual:pages` exports: the rows of the table, each with a function that loads its component. */
export function source(rows: PageRow[]): string {
  const open = modulesOf(rows.filter(({ guard }) => !guard));
  const closed = guardedModules(rows);
  const entries = rows.map(({ path, title, module, guard = false, type }) => {
    const fixed = JSON.stringify({ path, title, guard, type });
    const load = open.includes(module) ? `load${open.indexOf(module)}` : `guarded[${closed.indexOf(module)}]`;
    return `{ ...${fixed}, load: ${load} },`;
  });
  return [
    ...open.map((module, at) => `const load${at} = ${loadOf(module)};`),
    `const guarded = Array.from({ length: ${closed.length} }, (_, at) => async () => (await import("${guarded}")).loads[at]());`,
    "export const pages = [",
    ...entries,
    "];",
  ].join("\n");
}

/** What `virtual:guarded-pages` exports: their guard, and a function for each page that only signed-in people see. */
export function guardedSource(rows: PageRow[]): string {
  const loads = guardedModules(rows).map((module) => `${loadOf(module)},`);
  return [
    'export { RequireAuth } from "/src/features/identity/RequireAuth.tsx";',
    "export const loads = [",
    ...loads,
    "];",
  ].join("\n");
}

const modulesOf = (rows: PageRow[]) => [...new Set(rows.map(({ module }) => module))];

function guardedModules(rows: PageRow[]): string[] {
  const open = modulesOf(rows.filter(({ guard }) => !guard));
  return modulesOf(rows).filter((module) => !open.includes(module));
}

const loadOf = (module: string) => `() => import("/src/${module}.tsx").then((found) => found.${basename(module)})`;

/** Provides the table of pages as a module, with one chunk for each page. */
export function pages(): Plugin {
  const sources = new Map([
    ["virtual:pages", source(table)],
    [guarded, guardedSource(table)],
  ]);
  return {
    name: "cairn-pages",
    resolveId: (id) => (sources.has(id) ? `\0${id}` : undefined),
    load: (id) => (id.startsWith("\0") ? sources.get(id.slice(1)) : undefined),
  };
}
