import { join } from "node:path";
import { Hub } from "./hub";
import { CairnServer } from "./server";
import { test } from "./test";

/** Tests with a real hub, which is the first engine of their server; this machine is the second. */
export function hubTest(environment: Record<string, string> = {}) {
  return test.extend<object, { hub: Hub; cairn: CairnServer }>({
    hub: [
      async ({}, use) => {
        const hub = await Hub.start();
        await use(hub);
        await hub.close();
      },
      { scope: "worker", timeout: 180_000 },
    ],
    cairn: [
      async ({ hub }, use) => {
        const cairn = await CairnServer.start({ flags: ["--config", await hub.cairnConfig()], environment });
        await hub.share(join(cairn.dataDir, "demo", "datasets"));
        await use(cairn);
        await cairn.close();
      },
      { scope: "worker", timeout: 180_000 },
    ],
  });
}
