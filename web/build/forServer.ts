import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Plugin } from "vite";

/**
 * Puts what the server itself runs beside the page, in dist/server, which it serves to nobody: KaTeX, with which it makes
 * the mathematics of notebooks. So one lock file pins it and one build brings it along.
 */
export function forServer(): Plugin {
  return {
    name: "cairn-for-server",
    apply: "build",
    async generateBundle() {
      const katex = createRequire(import.meta.url).resolve("katex/dist/katex.min.js");
      this.emitFile({ type: "asset", fileName: "server/katex.min.js", source: await readFile(katex) });
    },
  };
}
