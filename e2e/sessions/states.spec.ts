import { rename } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { expectAccessible, expectNoSidewaysScroll } from "../support/accessible";
import { expectFiles } from "../support/jupyter";
import { openAs, people } from "../support/people";
import { processesBelow } from "../support/processes";
import {
  deleteAllSessions,
  demoProject,
  expectNothingRuns,
  expectStatus,
  fillDialog,
  newSessionDialog,
  newTab,
  sessionCard,
  showSessions,
} from "../support/sessions";
import { expect, lostDataset, projects, test } from "./fixtures";

/** The rendered colors of a state: the text of the badge and the spine of the card. */
const colors = {
  CREATED: ["rgb(28, 95, 52)", "rgb(47, 143, 80)"],
  RUNNING: ["rgb(23, 74, 150)", "rgb(47, 111, 208)"],
  FINISHED: ["rgb(91, 52, 148)", "rgb(132, 83, 196)"],
  TERMINATED: ["rgb(65, 76, 88)", "rgb(122, 135, 148)"],
  ERROR: ["rgb(150, 42, 34)", "rgb(207, 70, 60)"],
} as const;

async function expectState(page: Page, name: string, status: keyof typeof colors): Promise<void> {
  await expectStatus(page, name, status);
  const card = sessionCard(page, name);
  const [ink, spine] = colors[status];
  await expect(card.getByText(status, { exact: true })).toHaveCSS("color", ink);
  await expect(card).toHaveCSS("border-left-color", spine);
  const terminated = status === "TERMINATED";
  await expect(card.getByRole("button", { name: "Terminate" })).toHaveCount(terminated ? 0 : 1);
  await expect(card.getByRole("link", { name: "Open", exact: true })).toHaveCount(terminated ? 0 : 1);
  await expect(card.getByRole("button", { name: "Restart" })).toHaveCount(terminated ? 1 : 0);
  await expect(card.getByRole("button", { name: "Download work" })).toBeVisible();
  await expect(card.getByRole("button", { name: `Delete session ${name}` })).toBeVisible();
}

/** The pages of the session origin share the page's design: each token they define has the page's value. */
async function expectSameLook(tab: Page, page: Page): Promise<void> {
  const values = (of: Page) =>
    of.evaluate(() => {
      const style = getComputedStyle(document.documentElement);
      return ["--ink", "--accent", "--red-ink", "--text-title", "--radius"].map((name) => style.getPropertyValue(name));
    });
  expect(await values(tab)).toEqual(await values(page));
  await expect(tab.getByRole("list", { name: "Steps of the launch" })).toContainText(/Connect the datasets.*failed/);
  const mark = tab.getByRole("link", { name: "Back to your sessions" }).locator("img");
  await expect.poll(() => mark.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0);
  await expectAccessible(tab);
  await expectNoSidewaysScroll(tab);
}

/** Starts a session through the dialog, and returns its tab. */
async function start(page: Page, project: string, name: string): Promise<Page> {
  await fillDialog(page, name, project);
  return newTab(page, newSessionDialog(page).getByRole("button", { name: "Create session" }));
}

test("each state has its color, its reason, its actions and its filter @all", async ({ page, cairn }) => {
  await openAs(page, people.researcher, "/sessions");

  await test.step("an unavailable dataset is named, in the tab and on the card", async () => {
    const tab = await start(page, projects.lost, "Without data");
    const reason = new RegExp(`dataset "${lostDataset}" isn't available`);
    await expect(tab.getByRole("status")).toContainText(reason, { timeout: 60_000 });
    await expectState(page, "Without data", "ERROR");
    await expectSameLook(tab, page);
    const card = sessionCard(page, "Without data");
    await expect(card).toContainText(reason);
    await tab.getByRole("button", { name: `Start without “${lostDataset}”` }).click();
    await expectFiles(tab, "first-steps");
    await expectState(page, "Without data", "RUNNING");
    await expect(card.getByRole("definition").filter({ hasText: `${lostDataset} (left out)` })).toBeVisible();
    await tab.close();
  });

  await test.step("a session that ends by itself is FINISHED", async () => {
    const all = await processesBelow(join(cairn.dataDir, "sessions"));
    const jupyter = all.find(({ command }) => /^\S*python\S* \S*jupyter-notebook /.test(command));
    expect(jupyter, all.map(({ command }) => command).join("\n")).toBeDefined();
    if (jupyter) process.kill(jupyter.pid, "SIGTERM");
    await expectState(page, "Without data", "FINISHED");
    await expectNothingRuns(cairn);
  });

  await test.step("an engine that fails says why, and what does not run is terminated at once", async () => {
    const repositories = join(cairn.dataDir, "demo", "git");
    await rename(repositories, `${repositories}-away`);
    const tab = await start(page, demoProject, "Without repository");
    const reason = "The repository is no longer on this server.";
    await expect(tab.getByRole("status")).toContainText(reason, { timeout: 60_000 });
    await rename(`${repositories}-away`, repositories);
    await tab.close();
    await expectState(page, "Without repository", "ERROR");
    const card = sessionCard(page, "Without repository");
    await expect(card).toContainText(reason);
    await card.getByRole("button", { name: "Terminate" }).click();
    await expect(page.getByText("Session terminated")).toBeVisible();
    await expectState(page, "Without repository", "TERMINATED");
    await expect(card).not.toContainText(reason);
    // Targets that a toast or the navigation bar covers for a moment would count as too small.
    await expect(page.getByText("Session terminated")).toHaveCount(0);
    await page.evaluate(() => window.scrollTo(0, 0));
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
  });

  await test.step("the filter is strict", async () => {
    const main = page.getByRole("main");
    const expected: [string, string[]][] = [
      ["FINISHED", ["Without data"]],
      ["TERMINATED", ["Without repository"]],
      ["CREATED", []],
      ["RUNNING", []],
      ["ERROR", []],
    ];
    for (const [status, names] of expected) {
      await showSessions(page, status);
      for (const name of ["Without repository", "Without data"]) {
        await expect(sessionCard(page, name)).toHaveCount(names.includes(name) ? 1 : 0);
      }
      await expect(main.getByText("No sessions found.")).toHaveCount(names.length === 0 ? 1 : 0);
    }
  });

  await test.step("Delete All deletes what the filter hides too", async () => {
    await expect(page.getByText("No sessions found.")).toBeVisible();
    await deleteAllSessions(page);
    await expect(page.getByText("Sessions deleted")).toBeVisible();
    await showSessions(page, "All");
    await expect(page.getByText("No sessions found.")).toBeVisible();
    await expect(page.getByRole("button", { name: "Delete All" })).toHaveCount(0);
    await expectNothingRuns(cairn);
  });
});
