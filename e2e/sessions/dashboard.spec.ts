import type { Page, Route } from "@playwright/test";
import { expectAccessible, expectNoSidewaysScroll } from "../support/accessible";
import { expectSoon } from "../support/answers";
import { callAs, startByCall } from "../support/calls";
import { watchFirstPaint } from "../support/paint";
import { openAs, people } from "../support/people";
import { deleteAllSessions, demoProject, expectStatus, fillDialog, projectCard, sessionCard, startButton } from "../support/sessions";
import { expect, projects, test } from "./fixtures";

const listCall = /\/api\/v1\/rf\/sessions$/;
const projectsCall = /\/api\/v1\/rf\/projects$/;

/** Holds back the answers to a call until it is released. */
async function hold(page: Page, call: RegExp): Promise<() => void> {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(call, async (route) => {
    await held;
    await route.continue();
  });
  return release;
}

/** Starts sessions that fail immediately, and waits until they have. The last one is listed first. */
async function startFailing(page: Page, ...names: string[]): Promise<void> {
  for (const name of names) await startByCall(page, projects.lost, name);
  for (const name of names) await expectStatus(page, name, "ERROR");
}

/** Deletes the item with this button by keyboard alone. */
async function deleteByKeys(page: Page, button: string, name: string): Promise<void> {
  await page.getByRole("button", { name: button, exact: true }).focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog").getByRole("textbox")).toBeFocused();
  await page.keyboard.type(name);
  await page.keyboard.press("Enter");
}

test("late content has its place, and failed content says so there", async ({ page, watch }) => {
  watch.expects(/status of 503/, /The sessions cannot be brought up to date/);
  await page.clock.install();
  await openAs(page, people.researcher, "/sessions");
  await startFailing(page, "Late");
  const paint = await watchFirstPaint(page, "Loading sessions");
  const [showSessions, showProjects] = [await hold(page, listCall), await hold(page, projectsCall)];
  await page.reload();

  await test.step("first the sessions, then the projects below them, and nothing jumps", async () => {
    await expect(page.getByRole("status").filter({ hasText: "Loading sessions" })).toBeVisible();
    await expect(page.getByRole("region", { name: "Projects" })).toHaveCount(0);
    showSessions();
    await expect(sessionCard(page, "Late")).toBeVisible();
    await expect(page.getByRole("status").filter({ hasText: "Loading projects" })).toBeVisible();
    showProjects();
    await expect(projectCard(page, demoProject)).toBeVisible();
    expect(await paint.skeletons()).toBeGreaterThan(0);
    expect(await paint.moved()).toBeLessThan(0.02);
  });

  await test.step("a failure has its reason and a way on, in its place", async () => {
    await page.unrouteAll({ behavior: "wait" });
    const busy = { status: 503, contentType: "application/problem+json", body: '{"message": "The database is busy."}' };
    const refuse = (route: Route) => route.fulfill(busy);
    await page.route(listCall, refuse);
    await page.route(projectsCall, refuse);
    await page.reload();
    const failed = (title: string) => page.getByRole("alert").filter({ hasText: title });
    await expect(failed("Your sessions cannot be loaded.")).toContainText("The database is busy. Retrying automatically.");
    await expectSoon(page, failed("Your projects cannot be loaded.").getByText("The database is busy."));
    await expectAccessible(page);
    await page.unrouteAll({ behavior: "wait" });
    await failed("Your projects cannot be loaded.").getByRole("button", { name: "Retry" }).click();
    await expect(projectCard(page, demoProject)).toBeVisible();
    await expectSoon(page, sessionCard(page, "Late"));
  });

  await test.step("nothing is cut off in the narrowest window", async () => {
    await page.setViewportSize({ width: 320, height: 640 });
    await expectNoSidewaysScroll(page);
  });
  await deleteAllSessions(page);
  await expect(page.getByText("Sessions deleted")).toBeVisible();
});

test("with the keyboard: the focus stays near, and what became of a session is read out @all", async ({ page, watch }) => {
  await openAs(page, people.researcher, "/sessions");
  await startFailing(page, "Third", "Second", "First");
  const states = page.getByRole("group", { name: "Show sessions in state" });
  await expect(states.getByRole("button", { name: "ERROR", exact: true })).toHaveAccessibleDescription("3");

  await test.step("who terminates a session stands on the button that restarts it", async () => {
    await sessionCard(page, "First").getByRole("button", { name: "Terminate" }).focus();
    await page.keyboard.press("Enter");
    await expect(sessionCard(page, "First").getByRole("button", { name: "Restart" })).toBeFocused();
    await expect(page.getByRole("status").filter({ hasText: "“First” was terminated." })).toHaveCount(1);
    await expect(states.getByRole("button", { name: "ERROR", exact: true })).toHaveAccessibleDescription("2");
  });

  await test.step("a dialog gives the focus back", async () => {
    await startButton(page).focus();
    await fillDialog(page);
    await page.keyboard.press("Escape");
    await expect(startButton(page)).toBeFocused();
  });

  await test.step("the log of a launch that failed is on its card, and may be asked for again", async () => {
    watch.expects(/net::ERR_FAILED/);
    const card = sessionCard(page, "Second");
    const id = (await callAs<{ id: string; sessionName: string }[]>(page, "GET", "/sessions")).find(
      ({ sessionName }) => sessionName === "Second",
    )?.id;
    const { log } = await callAs<{ log: string }>(page, "GET", `/sessions/${id}/log`);
    await page.route(/\/log$/, (route) => route.abort());
    await card.getByText("Log", { exact: true }).click();
    await expect(card.getByRole("status")).toContainText("The log cannot be read. The server cannot be reached.");
    await page.unrouteAll({ behavior: "wait" });
    await card.getByRole("button", { name: "Retry" }).click();
    if (log === "") await expect(card.getByRole("status")).toHaveText("This launch has no log.");
    else await expect(card.getByRole("region", { name: "Log of Second" })).toHaveText(log);
    await expectAccessible(page);
  });

  await test.step("after a deletion it is on the card in that place, then on the last, then on the empty list", async () => {
    await deleteByKeys(page, "Delete session Second", "Second");
    await expect(sessionCard(page, "Third")).toBeFocused();
    await deleteByKeys(page, "Delete session Third", "Third");
    await expect(sessionCard(page, "First")).toBeFocused();
    await deleteByKeys(page, "Delete session First", "First");
    await expect(page.getByText("No sessions found.")).toBeVisible();
    await expect(page.locator(":focus")).toContainText("No sessions found.");
  });
});
