import { copyFile, mkdir } from "node:fs/promises";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import type { Plugin } from "vite";

const require = createRequire(import.meta.url);

/** The folder of scripts that the server runs itself; it never serves them. */
export const serverFolder = "server";

/** The packages that these scripts are from. */
export const serverPackages = ["katex"];

/** Puts KaTeX beside the page, so that the server can draw the formulas of notebooks. */
export function serverScripts(): Plugin {
  let folder = "";
  return {
    name: "cairn-server-scripts",
    apply: "build",
    configResolved(config) {
      folder = resolve(config.root, config.build.outDir, serverFolder);
    },
    async writeBundle() {
      await mkdir(folder, { recursive: true });
      await copyFile(require.resolve("katex/dist/katex.min.js"), join(folder, "katex.min.js"));
    },
  };
}
