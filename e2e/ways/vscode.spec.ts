import { fileURLToPath } from "node:url";
import type { Page } from "@playwright/test";
import { callAs } from "../support/calls";
import { openAs, people } from "../support/people";
import { CairnServer } from "../support/server";
import { expectNothingRuns, newTab, openDemoRepository } from "../support/sessions";
import { test as base, expect } from "../support/test";

const program = process.env.CAIRN_E2E_VSCODE ?? fileURLToPath(new URL("../../bin/code-server/node_modules/.bin/code-server", import.meta.url));

const test = base.extend<object, { cairn: CairnServer }>({
  cairn: [
    async ({}, use) => {
      const cairn = await CairnServer.start({ environment: { CAIRN_SESSIONS_VSCODE: program } });
      await use(cairn);
      await cairn.close();
    },
    { scope: "worker" },
  ],
});

/**
 * What VS Code itself says in the console: of parts that code-server lacks, of a service worker that may not leave its folder, and
 * while it ends.
 */
const noise = [/\/vscode\/[0-9a-f-]{36}\//, /about:blank/];

/** Presses "Open in VS Code" on the page of the demo's repository, and returns the tab once its notebook is there. */
async function openEditor(page: Page): Promise<Page> {
  await openDemoRepository(page);
  const tab = await newTab(page, page.getByRole("main").getByRole("button", { name: "Open in VS Code" }));
  await expect(tab).toHaveURL(/\/vscode\/[0-9a-f-]{36}\//, { timeout: 180_000 });
  await expect(tab.getByRole("button", { name: "Run All" })).toBeVisible({ timeout: 180_000 });
  return tab;
}

async function deleteSessions(page: Page, cairn: CairnServer): Promise<void> {
  for (const { id } of await callAs<{ id: string }[]>(page, "GET", "/sessions/")) await callAs(page, "DELETE", `/sessions/${id}`);
  await expectNothingRuns(cairn);
}

test("a notebook runs in VS Code with the session's kernel, is saved in versions, and opens in Jupyter too", async ({ page, cairn, watch }, info) => {
  test.slow();
  watch.expects(...noise);
  await openAs(page, people.researcher, "/add");
  const tab = await openEditor(page);
  const session = /\/vscode\/([0-9a-f-]{36})\//.exec(tab.url())?.[1] ?? "";
  await expect(tab.getByText("Python 3", { exact: true }).first()).toBeVisible();
  await tab.getByRole("button", { name: "Run All" }).click();
  // Its first cells have run, with counts of their own; those below are drawn when they come into view.
  await expect(tab.getByText("[2]", { exact: true }).first()).toBeAttached({ timeout: 180_000 });
  const status = tab.locator(".part.statusbar");
  await expect(status.getByText(/^Memory \d/)).toBeVisible();
  await expect(status.getByText("Stop", { exact: true })).toBeVisible();
  await tab.screenshot({ path: info.outputPath("vscode.png") });

  await test.step("a changed file is in a version", async () => {
    const count = async () => (await callAs<{ content: unknown[] }>(page, "GET", `/sessions/${session}/versions`)).content.length;
    const before = await count();
    await tab.keyboard.press("Control+s");
    await expect.poll(count, { timeout: 180_000 }).toBeGreaterThan(before);
  });

  await test.step("Jupyter's bar leads there, and the session's address in VS Code works again", async () => {
    const jupyter = await page.context().newPage();
    await jupyter.goto(`/sessions/${session}/open`);
    await expect(jupyter).toHaveURL(/\.ipynb$/, { timeout: 60_000 });
    const link = jupyter.getByRole("region", { name: "Session" }).getByRole("link", { name: "VS Code" });
    const again = await newTab(jupyter, link);
    await expect(again).toHaveURL(new RegExp(`/vscode/${session}/`));
    await expect(again.getByText("first-steps.ipynb").first()).toBeVisible({ timeout: 60_000 });
    for (const one of [again, jupyter, tab]) await one.close();
  });
  await deleteSessions(page, cairn);
});

test("VS Code opens on a phone @phone", async ({ page, cairn, watch }, info) => {
  test.slow();
  watch.expects(...noise);
  await openAs(page, people.colleague, "/add");
  await openDemoRepository(page);
  const tab = await newTab(page, page.getByRole("main").getByRole("button", { name: "Open in VS Code" }));
  await expect(tab).toHaveURL(/\/vscode\//, { timeout: 180_000 });
  await expect(tab.getByText("first-steps.ipynb").first()).toBeAttached({ timeout: 120_000 });
  await tab.screenshot({ path: info.outputPath("vscode-phone.png") });
  await tab.close();
  await deleteSessions(page, cairn);
});
