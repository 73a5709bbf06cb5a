import { Archives } from "./archives";
import type { CairnServer } from "./server";
import { test as base } from "./test";

export { expect } from "./test";

/** The tests of a server that deposits at stand-ins for archives and looks up DOIs there. */
export const test = base.extend<object, { archives: Archives; cairn: CairnServer }>({
  archives: [
    async ({}, use) => {
      const archives = await Archives.start();
      await use(archives);
      await archives.close();
    },
    { scope: "worker" },
  ],
  cairn: [
    async ({ archives }, use, worker) => {
      const cairn = await archives.startCairn(worker.project.outputDir);
      await use(cairn);
      await cairn.close();
    },
    { scope: "worker" },
  ],
});
