import { expectAccessible, expectNoSidewaysScroll } from "../support/accessible";
import { calls, expectSoon, problem } from "../support/answers";
import { expectFiles } from "../support/jupyter";
import { watchFirstPaint } from "../support/paint";
import { openAs, people } from "../support/people";
import { CairnServer } from "../support/server";
import { deleteSession, expectStatus, fillDialog, newSessionDialog, newTab, openDemoRepository } from "../support/sessions";
import { expect, test as base } from "../support/test";
import { Watch } from "../support/watch";

// A separate server, because what operators decide here would affect other journeys.
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
  await expect(page.getByText("operator@example.org").first()).toBeVisible(); // names the operators before anything is started

  const office = await browser.newContext({ baseURL: cairn.url });
  const officeWatch = new Watch();
  await officeWatch.attach(office, cairn);
  const desk = await office.newPage();
  await openAs(desk, people.operator, "/operator/accounts");
  const row = desk.getByRole("listitem").filter({ hasText: people.newcomer.email });
  await expect(row.getByText("Waiting")).toBeVisible();
  await expect(desk.getByRole("button", { name: /1 account waiting/ })).toBeVisible();
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
  await openAs(page, people.colleague, "/operator/accounts");
  await expect(page.getByText(/[Oo]perators/).first()).toBeVisible();
  await expect(page.getByRole("button", { name: /^(Enable|Disable)/ })).toHaveCount(0);
});

test("many accounts come without a jump, in pages; faults stand at their field, failures in their place", async ({ page, cairn, watch }) => {
  const long = "a.person.whose.name.is.rather.long.and.goes.on.and.on@department-of-many-words.institution.example";
  await cairn.command("accounts", "enable", long, ...Array.from({ length: 120 }, (_, i) => `person${i}@institution.example`));
  const list = calls(/^\/accounts$/);
  const { moved } = await watchFirstPaint(page, "");
  await page.clock.install();
  await openAs(page, people.operator, "/operator/accounts");
  await expect(page.getByText(/^12\d accounts$/)).toBeVisible();

  await test.step("rows take the places of their skeletons", async () => {
    let answer = () => {};
    const asked = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route(list, async (route) => {
      await asked;
      await route.continue();
    });
    await page.reload();
    await expect(page.getByRole("status", { name: "Loading accounts" })).toBeVisible();
    answer();
    await expect(page.getByText(/^12\d accounts$/)).toBeVisible();
    await expect(page.getByText("Page 1 of 2")).toBeVisible();
    expect(await moved(), "layout shift").toBeLessThan(0.02);
    await page.unroute(list);
  });

  await test.step("another page of the list begins at its top, with the focus there", async () => {
    await page.getByRole("button", { name: "Next" }).click();
    await expect(page.getByText("Page 2 of 2")).toBeVisible();
    await expect(page.getByRole("region", { name: "Accounts" })).toBeFocused();
    await expect(page.getByText(/^12\d accounts$/)).toBeInViewport();
    await page.getByRole("button", { name: "Previous" }).click();
    await expect(page.getByText("Page 1 of 2")).toBeAttached();
    await expect(page.getByText(/^12\d accounts$/)).toBeInViewport();
  });

  await test.step("a long address breaks, also on the narrowest phone", async () => {
    await page.goto("/operator/accounts?search=rather.long");
    await expect(page.getByText("1 account", { exact: true })).toBeVisible();
    const wide = page.viewportSize();
    await page.setViewportSize({ width: 320, height: 640 });
    await expectNoSidewaysScroll(page);
    await expectAccessible(page);
    if (wide) await page.setViewportSize(wide);
  });

  await test.step("what is no address is said at the field, and stays typed", async () => {
    watch.expects(/status of 422/);
    await page.getByRole("button", { name: "Add by e-mail" }).click();
    const email = page.getByRole("dialog").getByRole("textbox", { name: "E-mail" });
    await email.fill("nobody");
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    await expect(email).toHaveAccessibleDescription(/"nobody" isn't an e-mail address\. Write it like name@example\.org\.$/);
    await expect(email).toBeFocused();
    await expect(email).toHaveValue("nobody");
    await page.keyboard.press("Escape");
  });

  await test.step("a list that cannot be read says so, and is tried again", async () => {
    watch.expects(/status of 503/);
    await page.route(list, (route) => problem(route, 503, "The database isn't responding. Try again in a moment."));
    await page.goto("/operator/accounts");
    const failure = page.getByRole("main").getByRole("alert");
    await expectSoon(page, failure.getByText("The database isn't responding. Try again in a moment."));
    await page.unroute(list);
    await failure.getByRole("button", { name: "Retry" }).click();
    await expect(page.getByText(/^12\d accounts$/)).toBeVisible();
  });
});
