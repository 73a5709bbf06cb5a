import { expectFiles } from "../support/jupyter";
import { openAs, people } from "../support/people";
import { CairnServer } from "../support/server";
import { deleteSession, expectStatus, fillDialog, newSessionDialog, newTab, openDemoRepository } from "../support/sessions";
import { expect, test as base } from "../support/test";
import { Watch } from "../support/watch";

// A server of their own: what operators decide here would change the other journeys.
const test = base.extend<object, { cairn: CairnServer }>({
  cairn: [
    async ({}, use) => {
      const cairn = await CairnServer.start();
      await use(cairn);
      await cairn.close();
    },
    { scope: "worker" },
  ],
});

test("operators see who waits, enable them, and stop them again", async ({ page, cairn, browser, watch }) => {
  const name = "Decided about";
  await openAs(page, people.newcomer, "/sessions");
  await expect(page.getByText("operator@example.org").first()).toBeVisible(); // whom to ask, before starting anything

  const office = await browser.newContext({ baseURL: cairn.url });
  const officeWatch = new Watch();
  await officeWatch.attach(office, cairn);
  const desk = await office.newPage();
  await openAs(desk, people.operator, "/accounts");
  const row = desk.getByRole("listitem").filter({ hasText: people.newcomer.email });
  await expect(row.getByText("Waiting")).toBeVisible();
  await expect(desk.getByRole("button", { name: /1 account waits/ })).toBeVisible();
  await row.getByRole("button", { name: /^Enable/ }).click();
  await expect(row.getByText("Enabled", { exact: true })).toBeVisible();

  await openDemoRepository(page);
  await fillDialog(page, name);
  const tab = await newTab(page, newSessionDialog(page).getByRole("button", { name: "Create session" }));
  await expectFiles(tab, "first-steps", "data");

  await row.getByRole("button", { name: /^Disable/ }).click();
  await desk.getByRole("dialog").getByRole("button", { name: /^Disable/ }).click();
  await expect(row.getByText("Disabled", { exact: true })).toBeVisible();
  await page.goto("/sessions");
  await expectStatus(page, name, "FINISHED");
  watch.expects(/status of 403/);
  await tab.reload();
  await expect(tab.getByText(/not enabled for sessions/)).toBeVisible();
  await tab.close();
  await deleteSession(page, cairn, name);
  officeWatch.assertQuiet();
  await office.close();
});

test("accounts are for operators", async ({ page, watch }) => {
  watch.expects(/status of 403/);
  await openAs(page, people.colleague, "/accounts");
  await expect(page.getByText(/[Oo]perators/).first()).toBeVisible();
  await expect(page.getByRole("button", { name: /^(Enable|Disable)/ })).toHaveCount(0);
});
