import { join } from "node:path";
import { callAs } from "../support/calls";
import { Hub } from "../support/hub";
import { openAs, people } from "../support/people";
import { CairnServer } from "../support/server";
import { newTab, openDemoRepository } from "../support/sessions";
import { test as base, expect } from "../support/test";
import { codeServer, editorNoise } from "../support/vscode";

const test = base.extend<object, { hub: Hub; cairn: CairnServer }>({
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
      const environment = { CAIRN_SESSIONS_VSCODE: codeServer, CAIRN_SESSIONS_SSH: "true" };
      const cairn = await CairnServer.start({ flags: ["--config", await hub.cairnConfig()], environment });
      await hub.share(join(cairn.dataDir, "demo", "datasets"));
      await use(cairn);
      await cairn.close();
    },
    { scope: "worker", timeout: 180_000 },
  ],
});

test.skip(process.getuid?.() !== 0, "a hub that gives each session a user of its own is root");

test("a session on a hub opens in VS Code as one here does", async ({ page, watch }, info) => {
  test.slow();
  watch.expects(...editorNoise);
  await openAs(page, people.researcher, "/add");
  const { sessions } = await callAs<{ sessions: { kinds: { can: string[]; interfaces: string[] }[] } }>(
    page,
    "GET",
    "/config",
  );
  const [hub, here] = sessions.kinds;
  expect(hub?.can).toEqual(expect.arrayContaining(["ssh", "vscode"]));
  expect([hub?.can, hub?.interfaces]).toEqual([here?.can, here?.interfaces]);

  await openDemoRepository(page);
  const tab = await newTab(page, page.getByRole("main").getByRole("button", { name: "Open in VS Code" }));
  await expect(tab).toHaveURL(/\/vscode\/[0-9a-f-]{36}\//, { timeout: 180_000 });
  await tab.getByRole("button", { name: "Run All" }).click({ timeout: 180_000 });
  await expect(tab.getByText("[2]", { exact: true }).first()).toBeAttached({ timeout: 180_000 });
  await expect(tab.locator(".part.statusbar").getByText(/^Memory \d/)).toBeVisible({ timeout: 60_000 });
  await tab.screenshot({ path: info.outputPath("vscode-hub.png") });
  await tab.close();
  for (const { id } of await callAs<{ id: string }[]>(page, "GET", "/sessions/"))
    await callAs(page, "DELETE", `/sessions/${id}`);
});
