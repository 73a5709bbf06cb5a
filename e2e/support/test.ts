import { type Page, type Response, test as base } from "@playwright/test";
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
    const { goto, reload } = page;
    if (javaScriptEnabled) page.goto = (...given) => settled(page, goto.apply(page, given), given[1]?.waitUntil);
    if (javaScriptEnabled) page.reload = (...given) => settled(page, reload.apply(page, given), given[0]?.waitUntil);
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

/** Waits until React has drawn the page, unless the test asks for less. */
async function settled(page: Page, arrived: Promise<Response | null>, until: string | undefined) {
  const response = await arrived;
  if (until === undefined || until === "load") {
    await page.waitForFunction(() => {
      const drawn = document.getElementById("root")?.firstElementChild;
      return !drawn || Object.keys(drawn).some((key) => key.startsWith("__react"));
    });
  }
  return response;
}

export { expect } from "@playwright/test";
