import type { Plugin } from "vite";

/**
 * Says in a library's code that its components are made without an effect elsewhere, and takes away the names that
 * they are given for debugging: making and naming both count as a use.
 */
export function markComponents(code: string): string {
  return code
    .replace(/^\w+\.displayName = "\w+";$/gm, "")
    .replace(/^((?:var|let|const) \w+ = )(\w+\.forwardRef\()/gm, "$1/* @__PURE__ */ $2");
}

/** Lets the bundler drop the components of react-router that nobody uses: the page has a budget for its script. */
export function shakable(): Plugin {
  return {
    name: "cairn-shakable",
    apply: "build",
    transform: {
      filter: { id: /node_modules\/react-router\/.*\.mjs$/ },
      handler: (code) => markComponents(code),
    },
  };
}
