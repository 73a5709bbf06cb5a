import { fileURLToPath } from "node:url";

/** The code-server that scripts/code-server.sh installs for the tests. */
export const codeServer =
  process.env.CAIRN_E2E_VSCODE ??
  fileURLToPath(new URL("../../bin/code-server/node_modules/.bin/code-server", import.meta.url));

/**
 * What VS Code itself says in the console: of parts that code-server lacks, of a service worker that may not leave its folder, and
 * while it ends.
 */
export const editorNoise = [/\/vscode\/[0-9a-f-]{36}\//, /about:blank/];
