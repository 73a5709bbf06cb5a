import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Plugin } from "vite";
import { serverPackages } from "./serverScripts.ts";

const require = createRequire(import.meta.url);

interface NamedPackage {
  name: string;
  version: string;
}

/** Vite's list of bundled packages, from which the licenses are collected. */
export const packagesFile = ".vite/packages.json";

/** Merges the names in Vite's list with further packages, without duplicates and sorted. */
export function namesOf(bundled: string, further: NamedPackage[]): NamedPackage[] {
  const all = [...(JSON.parse(bundled) as NamedPackage[]), ...further];
  const named = new Map(all.map(({ name, version }) => [`${name} ${version}`, { name, version }]));
  return [...named].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, each]) => each);
}

/** Adds the packages of the server's scripts to Vite's list, and drops the license texts, which the server has anyway. */
export function packages(): Plugin {
  return {
    name: "cairn-packages",
    apply: "build",
    config: () => ({ build: { license: { fileName: packagesFile } } }),
    generateBundle: {
      order: "post",
      handler(_, bundle) {
        const list = bundle[packagesFile];
        if (list?.type !== "asset") throw new Error(`Vite wrote no ${packagesFile}: its license plugin did not run`);
        const further = serverPackages.map((name) => {
          const { version } = JSON.parse(readFileSync(require.resolve(`${name}/package.json`), "utf8")) as NamedPackage;
          return { name, version };
        });
        list.source = JSON.stringify(namesOf(list.source.toString(), further), null, 1);
      },
    },
  };
}
