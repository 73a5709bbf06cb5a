import { test as base } from "@playwright/test";
import { arriveWhenDrawn } from "./drawn";
import { CairnServer } from "./server";
import { Watch } from "./watch";

/**
 * The test function of all journeys. `cairn` is a demo server shared by the tests of a worker, and page addresses are
 * relative to it. A file whose tests stop or break the server overrides `cairn`. `watch` fails a test when something went
 * wrong in its pages that it didn't announce.
 */
export const test = base.extend<{ watch: Watch }, { cairn: CairnServer }>({
  cairn: [
    async ({}, use) => {
      const cairn = await CairnServer.start();
      await use(cairn);
      await cairn.close();
    },
    { scope: "worker" },
  ],
  baseURL: async ({ cairn }, use) => use(cairn.url),
  // Documents show their page before the script runs, which then replaces it: tests begin afterwards.
  page: async ({ page, javaScriptEnabled }, use) => {
    if (javaScriptEnabled) arriveWhenDrawn(page);
    await use(page);
  },
  watch: [
    async ({ context, cairn }, use) => {
      const watch = new Watch();
      await watch.attach(context, cairn);
      await use(watch);
      watch.assertQuiet();
      // What a handler of the test still does for a request ends with the test, and its failure is none of it.
      for (const page of context.pages()) await page.unrouteAll({ behavior: "ignoreErrors" });
    },
    { auto: true },
  ],
});

export { expect } from "@playwright/test";
