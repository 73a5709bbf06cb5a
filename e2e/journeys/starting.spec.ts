import { expectFiles } from "../support/jupyter";
import { chooseAccount, openAs, people } from "../support/people";
import {
  deleteSession,
  demoProject,
  demoProjectCard,
  expectNothingRuns,
  expectStatus,
  fillDialog,
  newSessionDialog,
  newTab,
  openDemoRepository,
  startButton,
} from "../support/sessions";
import { expect, test } from "../support/test";

test("a visitor who starts the project of another signs in, finds the dialog open, and gets a session @all", async ({
  page,
  cairn,
}) => {
  const name = "Argon by a colleague";
  await openDemoRepository(page);
  const address = page.url();
  await startButton(page).click();
  await chooseAccount(page, people.colleague);

  await expect(newSessionDialog(page)).toContainText(demoProject);
  await expect(page).toHaveURL(address);
  await newSessionDialog(page).getByRole("button", { name: "Cancel" }).click();
  await expect(newSessionDialog(page)).toHaveCount(0);
  await page.reload();
  await expect(demoProjectCard(page)).toBeVisible();
  await expect(newSessionDialog(page)).toHaveCount(0);

  await fillDialog(page, name);
  const tab = await newTab(page, newSessionDialog(page).getByRole("button", { name: "Create session" }));
  await expectFiles(tab, "first-steps", "data");
  await tab.close();
  await page.goto("/sessions");
  await expectStatus(page, name, "RUNNING");
  await deleteSession(page, cairn, name);
});

test("an account that is not enabled is told whom to ask", async ({ page, cairn, watch }) => {
  watch.expects(/status of 403 .*\/hub\/start\/project\//, /The session cannot be opened/);
  await openAs(page, people.newcomer, "/sessions");
  await openDemoRepository(page);
  await fillDialog(page);
  const tab = await newTab(page, newSessionDialog(page).getByRole("button", { name: "Create session" }));
  const reason = /Your account .*not enabled.* ask the operators/;
  for (const shown of [page, tab]) {
    const alert = shown.getByRole("alert");
    await expect(alert.getByText("Error starting session")).toBeVisible();
    await expect(alert.getByText(reason)).toBeVisible();
  }
  await tab.getByRole("link", { name: "Go to your sessions" }).click();
  await expect(tab.getByText("No sessions found.")).toBeVisible();
  await expectNothingRuns(cairn);
});

test("a blocked tab is offered as a link @all", async ({ page, cairn }) => {
  const name = "Behind a blocker";
  await page.addInitScript(() => {
    window.open = () => null;
  });
  await openAs(page, people.researcher, "/sessions");
  await fillDialog(page, name);
  await newSessionDialog(page).getByRole("button", { name: "Create session" }).click();
  const notice = page.getByRole("region", { name: "Notifications" });
  await expect(notice).toContainText("The browser blocked the new tab");
  await expect(page.getByText("No sessions found.")).toBeVisible();
  const tab = await newTab(page, notice.getByRole("link", { name: "Open the session" }));
  await expectFiles(tab, "first-steps", "data");
  await tab.close();
  await expectStatus(page, name, "RUNNING");
  await deleteSession(page, cairn, name);
});
