import type { Plugin } from "vite";

const messagesImport = /^import \{([^}]+)\} from "((?:\.|@)\/[^"]*messages)";$/gm;

/** Makes of an import of several groups of messages one import for each, from a module that has only that one's use. */
export function partMessages(code: string): string {
  return code.replace(messagesImport, (_, names: string, from: string) =>
    names
      .split(",")
      .map((each) => each.trim())
      .filter((each) => each !== "" && !each.startsWith("type "))
      .map((each) => `import { ${each} } from "${from}?${each.split(" ")[0]}";`)
      .join(" "),
  );
}

/**
 * Lets each chunk have only the messages that it shows. A module lies in one chunk whole: without this the first page
 * would load the words of all pages of a feature, as soon as it shows one of them.
 */
export function messageParts(): Plugin {
  return {
    name: "cairn-message-parts",
    apply: "build",
    enforce: "pre",
    transform: {
      filter: { id: /\/src\/.*\.tsx?$/, code: /\/messages";/ },
      handler: (code) => partMessages(code),
    },
  };
}
