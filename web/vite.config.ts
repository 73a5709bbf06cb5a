import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";
import { packages } from "./build/packages.ts";
import { pages } from "./build/pages.ts";
import { serverScripts } from "./build/serverScripts.ts";
import { shell } from "./build/shell.ts";
import { sidecars } from "./build/sidecars.ts";
import { weights } from "./build/weights.ts";

// In development the page comes from Vite and everything else from a running `cairn serve`.
const server = process.env.CAIRN_URL ?? "http://127.0.0.1:8080";

export default defineConfig({
  plugins: [react(), pages(), shell(), serverScripts(), packages(), sidecars(), weights()],
  resolve: { alias: { "@": fileURLToPath(new URL("./src", import.meta.url)) } },
  // Short names of classes: they are in the script once more than in the style sheet, and pack badly.
  css: { modules: { generateScopedName: "[hash:base64:6]" } },
  build: {
    target: "es2023",
    // The server reads it to preload the chunks of the route that was asked for.
    manifest: true,
    // One style sheet: all of it packs to less than its parts cost in requests.
    cssCodeSplit: false,
    // No data: addresses: the policy of the page allows only files of its own origin.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // What every page needs in one file: it packs better, and stays cached when only the page changed.
            {
              name: "base",
              test: /node_modules\/(react|react-dom|scheduler|@tanstack(?!.*(useQueries|queriesObserver)))\//,
            },
            { name: "frame", test: /\/src\/(api|lib|ui|features)\//, tags: ["$initial"] },
            // What many pages show, and what all lists do. Groups follow folders: where a file lies decides on its chunk.
            { name: "shared", test: /\/src\/(api|lib|ui|features\/catalog)\/[^/]*$/, minShareCount: 3 },
            // The two ways to start a session, on every page that has either.
            {
              name: "starting",
              test: /\/src\/features\/(sessions\/(RunButton|NewSession)|projects\/(useStart|startAddress|start\.messages|queries))\b(?!.*Dialog)/,
            },
            { name: "cards", test: /\/src\/features\/catalog\/cards\// },
            { name: "lists", test: /\/src\/(ui|features\/catalog)\/list\//, minShareCount: 2 },
          ],
        },
      },
    },
  },
  server: {
    proxy: Object.fromEntries(["/api", "/idp", "/demo"].map((path) => [path, { target: server }])),
  },
  // Dates and numbers look as the reader has it; in tests that is one reader.
  test: {
    include: ["src/**/*.test.ts", "build/**/*.test.ts"],
    env: { LC_ALL: "en_US.UTF-8" },
    // A process for each file would take four times as long. Each file restores the globals that it replaces.
    pool: "threads",
    isolate: false,
    unstubGlobals: true,
    // No test is about time: this only ends one that hangs.
    testTimeout: 60_000,
  },
});
