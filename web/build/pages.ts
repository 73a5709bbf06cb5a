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

/** What `virtual:pages` exports: the rows of the table, each with a function that loads its component. */
export function source(rows: PageRow[]): string {
  const modules = [...new Set(rows.map(({ module }) => module))];
  const loads = modules.map(
    (module, at) => `const load${at} = async () => (await import("/src/${module}.tsx")).${basename(module)};`,
  );
  const entries = rows.map(({ path, title, module, guard = false, type }) => {
    const fixed = JSON.stringify({ path, title, guard, type });
    return `{ ...${fixed}, load: load${modules.indexOf(module)} },`;
  });
  return [...loads, "export const pages = [", ...entries, "];"].join("\n");
}

/** Provides the table of pages as a module, with one chunk for each page. */
export function pages(): Plugin {
  const name = "virtual:pages";
  return {
    name: "cairn-pages",
    resolveId: (id) => (id === name ? `\0${name}` : undefined),
    load: (id) => (id === `\0${name}` ? source(table) : undefined),
  };
}
