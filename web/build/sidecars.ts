import { readdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Plugin } from "vite";
import { serverFolder } from "./serverScripts.ts";

const compressible = /\.(js|css|html|svg|json|webmanifest)$/;

/**
 * Returns the compressed sidecars of a file, by extension. A sidecar that saves less than a tenth is left out: the plain
 * file is as fast, and the binary stays smaller.
 */
export async function compress(content: Buffer): Promise<Record<string, Buffer>> {
  const [br, gz] = await Promise.all([
    promisify(brotliCompress)(content, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: content.length },
    }),
    promisify(gzip)(content, { level: 9 }),
  ]);
  return Object.fromEntries(Object.entries({ br, gz }).filter(([, small]) => small.length < content.length * 0.9));
}

/**
 * Writes .br and .gz files beside the built files, except index.html, into which the server writes its configuration. It
 * also restores dist/.keep, without which the Go package doesn't compile before the page is built.
 */
export function sidecars(): Plugin {
  let directory = "";
  return {
    name: "cairn-sidecars",
    apply: "build",
    configResolved(config) {
      directory = resolve(config.root, config.build.outDir);
    },
    async closeBundle() {
      await writeFile(join(directory, ".keep"), "");
      const entries = await readdir(directory, { recursive: true, withFileTypes: true });
      for (const entry of entries) {
        if (!entry.isFile() || !compressible.test(entry.name) || entry.name === "index.html") continue;
        if (entry.parentPath.endsWith(".vite") || entry.parentPath.endsWith(serverFolder)) continue;
        const file = join(entry.parentPath, entry.name);
        for (const [extension, content] of Object.entries(await compress(await readFile(file)))) {
          await writeFile(`${file}.${extension}`, content);
        }
      }
    },
  };
}
