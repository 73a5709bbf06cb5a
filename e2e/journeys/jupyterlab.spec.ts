import { fileURLToPath } from "node:url";
import { chooseAccount, people } from "../support/people";
import { CairnServer } from "../support/server";
import { deleteAllSessions, expectNothingRuns, openDemoRepository } from "../support/sessions";
import { test as base, expect } from "../support/test";

const lab = fileURLToPath(new URL("../support/jupyter-lab", import.meta.url));

const test = base.extend<object, { cairn: CairnServer }>({
  cairn: [
    async ({}, use) => {
      const cairn = await CairnServer.start({ environment: { CAIRN_SESSIONS_JUPYTER: lab } });
      await use(cairn);
      await cairn.close();
    },
    { scope: "worker" },
  ],
});

test("a session with JupyterLab opens its file there, below the session bar @all", async ({ page, cairn }, info) => {
  expect(cairn.output).toContain("JupyterLab");
  await openDemoRepository(page);
  await page.getByRole("main").getByRole("button", { name: "Run", exact: true }).click();
  await chooseAccount(page, people.researcher); // the session starts by itself, in this tab
  await expect(page).toHaveURL(/\/lab\/tree\/first-steps\/first-steps\.ipynb$/, { timeout: 180_000 });

  const bar = page.getByRole("region", { name: "Session" });
  // How much room is between the bar and the shell, and between the shell and the end of the window.
  const gaps = () =>
    page.evaluate(() => {
      const edges = (selector: string) => document.querySelector(selector)?.getBoundingClientRect();
      const bar = document.querySelector("cairn-session-strip")?.getBoundingClientRect();
      const [top, bottom] = [edges("#jp-top-panel")?.top ?? 0, edges("#jp-bottom-panel")?.bottom ?? 0];
      return [top - (bar?.bottom ?? 0), innerHeight - bottom].map((gap) => Math.abs(Math.round(gap)));
    });
  await expect(bar).toBeVisible();
  await expect.poll(gaps).toEqual([0, 0]);
  await page.screenshot({ path: info.outputPath("lab.png") });

  await page.getByRole("button", { name: "Hide the session bar" }).click();
  await expect(bar).toBeHidden();
  await expect.poll(gaps).toEqual([0, 0]);
  await page.getByRole("button", { name: "Show the session bar" }).click();
  await expect(bar).toBeVisible();
  await expect.poll(gaps).toEqual([0, 0]);

  await page.goto("/sessions");
  await deleteAllSessions(page);
  await expectNothingRuns(cairn);
});
