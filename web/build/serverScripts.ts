import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import type { Plugin } from "vite";

const require = createRequire(import.meta.url);

/** The folder of scripts that the server runs itself; it never serves them. */
export const serverFolder = "server";

/** The packages that these scripts are from. */
export const serverPackages = ["mathjax"];

/** What the server needs of MathJax, in the order in which one part needs another. */
const mathJax = [
  "core",
  "adaptors/liteDOM",
  "input/tex-base",
  ...[
    ...["enclose", "newcommand", "ams", "amscd", "bbox", "boldsymbol", "braket", "cancel", "centernot", "color"],
    ...["extpfeil", "gensymb", "html", "mathtools", "empheq", "cases", "mhchem", "noundefined", "unicode", "units"],
    ...["upgreek", "verb"],
  ].map((name) => `input/tex/extensions/${name}`),
];

/** Puts MathJax beside the page, so that the server can draw the formulas of notebooks as Jupyter does. */
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
      const root = dirname(require.resolve("mathjax/package.json"));
      const parts = await Promise.all(mathJax.map((name) => readFile(join(root, `${name}.js`), "utf8")));
      await writeFile(join(folder, "mathjax.js"), ["globalThis.MathJax = {};", ...parts].join("\n;\n"));
    },
  };
}
