import { readFileSync } from "node:fs";
import { basename } from "node:path";
import type { Plugin } from "vite";

/** A row of pages.json, which the server reads too; internal/site/page documents the fields. */
export interface PageRow {
  path: string;
  title: string;
  /** The component's file below src, without extension; the component has the same name. */
  module: string;
  guard?: boolean;
  /** For everybody, and few visits begin here. */
  rare?: boolean;
  type?: string;
}

export const table = JSON.parse(readFileSync(new URL("../pages.json", import.meta.url), "utf8")) as PageRow[];

/**
 * The rows for everybody, whose pages visitors open first, and all others: visitors need neither their addresses nor the
 * names of their files. The last row, for addresses without a page, is among the others.
 */
export function divided(rows: PageRow[]): { open: PageRow[]; others: PageRow[] } {
  const open = rows.filter(({ guard, rare, path }) => !guard && !rare && path !== "/*");
  return { open, others: rows.filter((row) => !open.includes(row)) };
}

/** What a module with rows of the table exports: each has a function that loads its component. */
export function source(rows: PageRow[]): string {
  const modules = [...new Set(rows.map(({ module }) => module))];
  const loads = modules.map(
    (module, at) => `const load${at} = () => import("/src/${module}.tsx").then((found) => found.${basename(module)});`,
  );
  const entries = rows.map(({ path, title, module, guard = false, type }) => {
    const fixed = JSON.stringify({ path, title, ...(guard && { guard }), type });
    return `{ ...${fixed}, load: load${modules.indexOf(module)} },`;
  });
  return [...loads, "export const pages = [", ...entries, "];"].join("\n");
}

/** Provides the table of pages as two modules, with one chunk for each page. */
export function pages(): Plugin {
  const { open, others } = divided(table);
  const sources = new Map([
    ["virtual:pages", source(open)],
    ["virtual:other-pages", source(others)],
  ]);
  return {
    name: "cairn-pages",
    resolveId: (id) => (sources.has(id) ? `\0${id}` : undefined),
    load: (id) => (id.startsWith("\0") ? sources.get(id.slice(1)) : undefined),
  };
}
