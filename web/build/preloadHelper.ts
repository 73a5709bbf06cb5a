import type { Plugin } from "vite";

/**
 * Replaces Vite's function that fetches the scripts a chunk needs together with it. Vite's also waits for style sheets and
 * reports failures, of which this page needs nothing: it has one style sheet, and lazyPage handles failures.
 */
export function preloadHelper(): Plugin {
  return {
    name: "cairn-preload-helper",
    apply: "build",
    enforce: "pre",
    load: (id) => (id === "\0vite/preload-helper.js" ? source : undefined),
  };
}

const source = `
const asked = new Set();

export function __vitePreload(load, files = []) {
  for (const file of files) {
    if (asked.has(file)) continue;
    asked.add(file);
    document.head.append(Object.assign(document.createElement("link"), { rel: "modulepreload", crossOrigin: "", href: "/" + file }));
  }
  return load();
}
`;
