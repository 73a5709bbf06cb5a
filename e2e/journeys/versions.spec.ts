import { CairnServer } from "../support/server";
import { expectNothingRuns } from "../support/sessions";
import { test as base } from "../support/test";
import { loseAndBringBack } from "../support/time-machine";

// A separate server, which saves versions often.
const test = base.extend<object, { cairn: CairnServer }>({
  cairn: [
    async ({}, use) => {
      const cairn = await CairnServer.start({ environment: { CAIRN_VERSIONS_EVERY: "10s" } });
      await use(cairn);
      await cairn.close();
    },
    { scope: "worker" },
  ],
});

test("a notebook that is lost in three ways comes back in at most four clicks @all", async ({ page, cairn, watch }) => {
  test.setTimeout(600_000);
  // Jupyter asks for what was deleted, and is told that what it shows was replaced.
  watch.expects(/status of (404|409) .*\/api\/contents\//);
  await loseAndBringBack(page, () => expectNothingRuns(cairn));
});
