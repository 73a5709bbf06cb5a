import { test as base } from "@playwright/test";
import { CairnServer } from "./server";

/**
 * The test function of all journeys: `cairn` is a demo server that the tests of a worker share, and page addresses are
 * relative to it. A test that stops or breaks the server starts one of its own by `CairnServer.start`.
 */
export const test = base.extend<object, { cairn: CairnServer }>({
  cairn: [
    async ({}, use) => {
      const cairn = await CairnServer.start();
      await use(cairn);
      await cairn.close();
    },
    { scope: "worker" },
  ],
  baseURL: async ({ cairn }, use) => use(cairn.url),
});

export { expect } from "@playwright/test";
