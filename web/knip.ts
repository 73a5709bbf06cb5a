import { table } from "./build/pages.ts";

export default {
  entry: ["src/app/Shell.tsx", ...new Set(table.map(({ module }) => `src/${module}.tsx`))],
  project: ["src/**/*.{ts,tsx}", "build/**/*.ts"],
  ignoreExportsUsedInFile: true,
};
