import { relative } from "node:path";
import type { Plugin } from "vite";

const shown = 6;

/**
 * Writes a file beside the manifest with the largest modules of each script, in bytes before minification, for the
 * message of an exceeded budget.
 */
export function weights(): Plugin {
  return {
    name: "cairn-weights",
    apply: "build",
    generateBundle(_, bundle) {
      const found: Record<string, [module: string, bytes: number][]> = {};
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== "chunk") continue;
        found[chunk.fileName] = Object.entries(chunk.modules)
          .map(([id, { renderedLength }]): [string, number] => [nameOf(id), renderedLength])
          .sort(([, one], [, other]) => other - one)
          .slice(0, shown);
      }
      this.emitFile({ type: "asset", fileName: ".vite/weights.json", source: JSON.stringify(found) });
    },
  };
}

function nameOf(id: string): string {
  return id.includes("/node_modules/")
    ? (id.split("/node_modules/").at(-1) ?? id)
    : relative(new URL("../src", import.meta.url).pathname, id);
}
