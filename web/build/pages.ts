import { readFileSync } from "node:fs";
import { basename } from "node:path";
import type { Plugin } from "vite";

/** A row of pages.json, as both sides know it; internal/page says what each field means. */
export interface PageRow {
  path: string;
  title: string;
  /** The component's source below src, without its ending; the component has the name of the file. */
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

/** Makes the table of pages a module, with one chunk for each page. */
export function pages(): Plugin {
  const name = "virtual:pages";
  return {
    name: "cairn-pages",
    resolveId: (id) => (id === name ? `\0${name}` : undefined),
    load: (id) => (id === `\0${name}` ? source(table) : undefined),
  };
}
