import type { Page } from "@playwright/test";
import { openAs, people } from "../support/people";
import { expect, test } from "../support/test";

/*
 * Visits every address of the page once. `watch` also fails these tests on errors, violations of the security policy and
 * requests to other hosts.
 */

async function expectHeading(page: Page, name: string): Promise<void> {
  await expect(page.getByRole("heading", { level: 1, name, exact: true })).toBeVisible();
}

for (const [path, heading] of [
  ["/resources/datasets", "Datasets"],
  ["/resources/notebooks", "Notebooks"],
  ["/resources/repositories", "Repositories"],
  ["/resources/models", "Models"],
] as const) {
  test(`${path} lists its kind, and an entry of it opens`, async ({ page, context }) => {
    await page.goto(path);
    await expectHeading(page, heading);
    const link = page.getByRole("article").first().getByRole("link");
    const name = (await link.textContent()) ?? "";
    const opened = context.waitForEvent("page");
    await link.click();
    const detail = await opened;
    await expectHeading(detail, name);
    await expect(detail.getByRole("region", { name: "About" })).toContainText(/\w+ \w+ \w+/);
    await expect(detail.getByRole("complementary", { name: "Facts" })).toBeVisible();
  });
}

test("the events are an accordion whose first item is open, and several may be @all", async ({ page }) => {
  await page.goto("/events");
  await expectHeading(page, "Events");
  const events = page.getByRole("main").getByRole("group");
  await expect(events).toHaveCount(4);
  await expect(events.nth(0).getByRole("link", { name: "Workshop details" })).toBeVisible();
  await expect(events.nth(3).getByRole("table")).toBeHidden();
  await events.nth(3).getByText("Data-Driven and Large-Scale Modeling in Neuroscience").click();
  const agenda = events.nth(3).getByRole("table");
  await expect(agenda.getByRole("link", { name: "Computing with Neural Oscillators" })).toHaveAttribute("href", "/resources?searchText=%22Computing+with+Neural+Oscillators%22");
  await expect(agenda.getByText("Nabil Imam, Nand Chandravadia")).toBeVisible();
  await expect(events.nth(0).getByRole("link", { name: "Workshop details" })).toBeVisible();
});

test("the addresses behind the login open @all", async ({ page }) => {
  await openAs(page, people.colleague, "/resources/starred");
  await expectHeading(page, "Starred Resources");
  await page.goto("/add");
  await expectHeading(page, "Add to the catalog");
  await page.goto("/sessions");
  await expectHeading(page, "Dashboard");
  await expect(page.getByText("You have no projects yet.")).toBeVisible();
  await page.goto("/open");
  await expect(page.getByText("There is no session to open here.")).toBeVisible();
  await page.goto("/oauth_callback");
  await expect(page).toHaveURL("/");
});

test("buttons of announced kinds of sessions are off and say why @all", async ({ page }) => {
  await openAs(page, people.researcher, "/sessions");
  for (const kind of ["VSCode", "Jupyter"]) {
    const button = page.getByRole("button", { name: kind, exact: true });
    await expect(button).toHaveAttribute("aria-disabled", "true");
    await expect(button).toHaveAccessibleDescription(/in development/);
  }
});

test("the page refuses a script that is written into it @all", async ({ page, watch }) => {
  watch.expects(/script-src-elem refused inline/, /Refused to execute inline script/, /inline script violates/);
  await page.goto("/login");
  await page.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "document.title = 'taken over'";
    document.body.append(script);
  });
  await watch.saw(/policy: script-src-elem refused inline/);
  await expect(page).not.toHaveTitle("taken over");
});
