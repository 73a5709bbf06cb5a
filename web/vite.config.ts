import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";
import { packages } from "./build/packages.ts";
import { pages } from "./build/pages.ts";
import { preloadHelper } from "./build/preloadHelper.ts";
import { ScopedNames } from "./build/scopedNames.ts";
import { serverScripts } from "./build/serverScripts.ts";
import { shell } from "./build/shell.ts";
import { sidecars } from "./build/sidecars.ts";
import { weights } from "./build/weights.ts";

// In development the page comes from Vite and everything else from a running `cairn serve`.
const server = process.env.CAIRN_URL ?? "http://127.0.0.1:8080";

/** Modules that several pages share, but none shows first. */
const notAtFirst = [
  ...["Coded", "LogText", "Menu.tsx", "OperatorNav", "ProgressState", "RunBadge", "TagList.tsx", "Toaster", "Tooltip"],
  ...[
    "cited",
    "connections",
    "hostName",
    "keptFiles",
    "kindDescriptions",
    "ListRow",
    "measures",
    "notebookPicture",
    "NothingHere",
    "patchEntry",
    "plainText",
    "polling",
    "positionPopover",
    "resources",
    "runWords",
    "saveFile",
    "showInRegion",
    "useFocusAfterRemoval",
    "version\\.",
  ],
];

const classNames = new ScopedNames(import.meta.dirname);

export default defineConfig({
  plugins: [
    react(),
    pages(),
    preloadHelper(),
    shell(),
    classNames.plugin(),
    serverScripts(),
    packages(),
    sidecars(),
    weights(),
  ],
  resolve: { alias: { "@": fileURLToPath(new URL("./src", import.meta.url)) } },
  css: {
    modules: { generateScopedName: classNames.name },
    // Its LightDark, of which the styles use nothing: without it, each visit would load a fallback.
    lightningcss: { exclude: 1_048_576 },
  },
  build: {
    target: "es2023",
    // The server reads it to preload the chunks of the route that was asked for.
    manifest: true,
    // One style sheet: compressed, all of it costs less than requests for its parts.
    cssCodeSplit: false,
    // No data: addresses: the policy of the page allows only files of its own origin.
    assetsInlineLimit: 0,
    modulePreload: {
      polyfill: false,
      // What a page needs is fetched at once when it is opened. For its parts that come later, lists of files cost the first
      // visit more than they save then.
      resolveDependencies: (_, dependencies, { hostId, hostType }) =>
        hostType === "html" || hostId.includes("/frame-") ? dependencies : [],
    },
    rolldownOptions: {
      output: {
        // The first script names all files, and names with digests don't compress: only those of pages, and of what the
        // budgets recognize, say what is in them.
        chunkFileNames: ({ name }) =>
          /(Page|Route)$|^(Markdown|frame)$/.test(name) ? "assets/[name]-[hash:7].js" : "assets/[hash:7].js",
        codeSplitting: {
          groups: [
            // The libraries that every page needs are in one file: it compresses better, and stays cached when only our code changes.
            {
              name: "base",
              test: /node_modules\/(react|react-dom|scheduler|@tanstack(?!.*(useQueries|queriesObserver|useMutation|mutationObserver)))\//,
            },
            { name: "frame", test: /\/src\/(?!app\/main)|virtual:pages|vite\/preload/, tags: ["$initial"] },
            // What texts need at first, apart from what lays them out.
            { name: "written", test: /\/src\/(lib\/markdown\.ts|ui\/(Note|Markdown\.module)\b)/ },
            // Shared components that no page needs before somebody uses it, or scrolls: they would delay every first visit.
            {
              name: "asking",
              test: /\/src\/ui\/(form\/(?!ChipsField|FormFold)|(Alert|ConfirmByName|Dialog|Filled|useFocusAtFirst)\b)/,
              minShareCount: 3,
            },
            { name: "copying", test: /\/src\/(ui\/(Copy|copy|ProgressLine|Tabs)|lib\/shell\b)/, minShareCount: 3 },
            // Shared components and lists. Groups follow folders, so a file's folder decides its chunk.
            {
              name: "shared",
              test: new RegExp(`/src/(api|lib|ui|features/catalog)/(?!${notAtFirst.join("|")})[^/]*$`),
              minShareCount: 3,
            },
            // What floats above a page is fetched right after the first paint.
            { name: "floating", test: /\/src\/ui\/(Menu\.tsx|Tooltip\.tsx|positionPopover)/ },
            // What is said of runs on cards and on the pages of entries: needed only where something ran.
            { name: "runs", test: /\/src\/features\/catalog\/(RunBadge|runWords)\b/ },
            // What starts a session of a project.
            {
              name: "starting",
              test: /\/src\/features\/(sessions\/NewSession|projects\/(useStart|startAddress|start\.messages|queries))\b(?!.*Dialog)/,
            },
            // Cards of projects with what their pages share: as files of their own, the small parts compress badly.
            {
              name: "projects",
              test: /\/src\/features\/projects\/(DeleteProject|isOwner|parts|ProjectCard|ProjectGrid|projectPath|quoted|useDeleteProject)\b/,
            },
            // What lists of files share: as files of their own, the small parts compress badly.
            {
              name: "folders",
              test: /\/src\/(features\/entry\/(datasetQueries|files\/(useFolder|queries))|lib\/(repositoryFiles|folders))\b/,
            },
            // How outputs differ, which the pages of entries and of jobs show.
            {
              name: "compared",
              test: /\/src\/features\/entry\/runs\/(ComparedCells|comparison|OutputPair|queries|Runs\.m)/,
            },
            { name: "cards", test: /\/src\/features\/catalog\/cards\/(?!CardActions|ResourceRow)/ },
            {
              name: "lists",
              test: /\/src\/(ui|features\/catalog)\/list\/(?!Page[dr]L|RemovableChip)/,
              minShareCount: 2,
            },
          ],
        },
      },
    },
  },
  server: {
    proxy: Object.fromEntries(["/api", "/idp", "/demo"].map((path) => [path, { target: server }])),
  },
  // Dates and numbers use the reader's locale, so tests fix one.
  test: {
    include: ["src/**/*.test.ts", "build/**/*.test.ts"],
    env: { LC_ALL: "en_US.UTF-8" },
    // A process for each file would take four times as long. Files restore the globals that they replace.
    pool: "threads",
    isolate: false,
    unstubGlobals: true,
    // Only ends a test that hangs.
    testTimeout: 60_000,
  },
});
