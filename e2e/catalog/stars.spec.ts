import { expect as check, type Locator, type Page } from "@playwright/test";
import { card, cards, expectFilters, expectTotal, gate } from "../support/catalog";
import { chooseAccount, openAs, people } from "../support/people";
import { doomed } from "./entries";
import { expect, test } from "./fixtures";

const starCalls = /\/resources\/[0-9a-f-]{36}\/star/;

function notice(page: Page, text: string): Locator {
  return page.getByRole("region", { name: "Notifications" }).getByText(text, { exact: true });
}

/** Clicks the star of a card. */
async function choose(page: Page, name: string, action: "Star" | "Unstar"): Promise<void> {
  await card(page, name).getByRole("button", { name: new RegExp(`^${action} ${name}`) }).click();
}

async function expectStars(page: Page, name: string, count: number): Promise<void> {
  const stars = count === 0 ? "" : `, ${count} ${count === 1 ? "star" : "stars"}`;
  await check(card(page, name).getByRole("button", { name: /^(Star|Unstar) / })).toHaveAccessibleName(new RegExp(`^(Star|Unstar) ${name}${stars}$`));
}

/** Removes all stars of the signed-in user, so that the run at the other width starts with none. */
async function unstarAll(page: Page): Promise<void> {
  await page.goto("/resources/starred");
  const names = cards(page).getByRole("heading");
  await check(names.first().or(page.getByText("You haven't starred anything yet."))).toBeVisible();
  for (let left = await names.count(); left > 0; left--) {
    await choose(page, await names.first().innerText(), "Unstar");
    await check(names).toHaveCount(left - 1);
  }
}

test("a star shows before the server answers, is kept, and the list of the starred follows it", async ({ page }) => {
  await openAs(page, people.colleague, "/resources/starred");
  await expect(page.getByRole("heading", { level: 1, name: "Starred Resources" })).toBeVisible();
  await expect(page.getByText("You haven't starred anything yet.")).toBeVisible();
  await expect(page.getByRole("link", { name: "Browse the catalog" })).toBeVisible();

  await page.goto("/resources?tags=zoo");
  const answers = gate();
  await page.route(starCalls, async (route) => {
    await answers.opened;
    await route.continue();
  });
  await choose(page, "Quokka notebook", "Star");
  await expectStars(page, "Quokka notebook", 1);
  await expect(notice(page, "Starred")).toHaveCount(0);
  answers.open();
  await expect(notice(page, "Starred")).toBeVisible();
  await choose(page, "Quokka model", "Star");
  await expectStars(page, "Quokka model", 1);
  await page.reload();
  await expectStars(page, "Quokka notebook", 1);
  await expectStars(page, "Quokka model", 1);

  await test.step("the newest star comes first, and texts are plain", async () => {
    await page.goto("/resources/starred");
    await expect(cards(page).getByRole("heading")).toHaveText(["Quokka model", "Quokka notebook"]);
    await expect(card(page, "Quokka model").getByText(/^Quokka A marsupial as a model, described/)).toBeVisible();
  });

  await test.step("a card leaves when it is unstarred, before the server answers", async () => {
    const held = gate();
    await page.route(starCalls, async (route) => {
      await held.opened;
      await route.continue();
    });
    await choose(page, "Quokka model", "Unstar");
    await expect(cards(page).getByRole("heading")).toHaveText(["Quokka notebook"]);
    held.open();
    await expect(notice(page, "Unstarred")).toBeVisible();
  });

  await unstarAll(page);
  await expect(page.getByText("You haven't starred anything yet.")).toBeVisible();
});

test("a star that the server refuses is taken back, with the reason", async ({ page, watch }) => {
  watch.expects(/status of 500/);
  await openAs(page, people.operator, "/resources/starred");
  await page.goto("/resources?tags=zoo");
  await choose(page, "Quokka dataset", "Star");
  await expect(notice(page, "Starred")).toBeVisible();

  const answers = gate();
  const refuse = async (route: import("@playwright/test").Route) => {
    await answers.opened;
    const body = JSON.stringify({ message: "Stars are out of order." });
    await route.fulfill({ status: 500, contentType: "application/problem+json", body });
  };
  await page.route(starCalls, refuse);
  await choose(page, "Quokka dataset", "Unstar");
  await expectStars(page, "Quokka dataset", 0);
  answers.open();
  const toast = page.getByRole("alert").filter({ hasText: "Error liking resource" });
  await expect(toast).toContainText("Stars are out of order.");
  await expectStars(page, "Quokka dataset", 1);

  await page.goto("/resources/starred");
  await choose(page, "Quokka dataset", "Unstar");
  await expect(toast).toBeVisible();
  await expect(card(page, "Quokka dataset")).toBeVisible();
  await page.unroute(starCalls, refuse);
  await unstarAll(page);
});

test("who is not signed in goes through the login to star, and comes back to the same search @all", async ({ page }) => {
  await page.goto("/resources?tags=zoo&searchText=quokka+repo");
  await choose(page, "Quokka repository", "Star");
  await expect(page).toHaveURL("/login?redirect=%2Fresources%3Ftags%3Dzoo%26searchText%3Dquokka%2Brepo");
  await page.getByRole("button", { name: "Institution Login" }).click();
  await chooseAccount(page, people.colleague);
  await expectFilters(page, { tags: "zoo", searchText: "quokka repo" });
  await choose(page, "Quokka repository", "Star");
  await expect(notice(page, "Starred")).toBeVisible();
  await unstarAll(page);
});

test("authors delete an entry by its exact name, others are not offered it @all", async ({ page, watch }, { project }) => {
  watch.expects(/status of 403/);
  const name = doomed(project.name);
  await openAs(page, people.researcher, "/resources/starred");
  await page.goto("/resources?tags=zoo");
  await expect(card(page, "Quokka").getByRole("button", { name: "Run Quokka" })).toBeVisible();
  await expect(card(page, "Quokka").getByRole("button", { name: "Actions for Quokka" })).toHaveCount(0);

  await page.goto(`/resources?tags=wombat&searchText=${project.name}`);
  await expectTotal(page, 1);
  await card(page, name).getByRole("button", { name: `Actions for ${name}` }).click();
  await page.getByRole("menuitem", { name: "Delete", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Delete resource" });
  const confirm = dialog.getByRole("button", { name: "Delete", exact: true });
  await expect(confirm).toBeDisabled();
  await dialog.getByRole("textbox").fill(name.toLowerCase());
  await expect(confirm).toBeDisabled();
  await dialog.getByRole("textbox").fill(name);

  await test.step("a refusal says why", async () => {
    const refuse = (route: import("@playwright/test").Route) =>
      route.fulfill({ status: 403, contentType: "application/problem+json", body: JSON.stringify({ message: "Not now." }) });
    await page.route(/\/resources\/[0-9a-f-]{36}$/, refuse);
    await confirm.click();
    await expect(page.getByRole("alert").filter({ hasText: "Error deleting session" })).toContainText("Not now.");
    await page.unroute(/\/resources\/[0-9a-f-]{36}$/, refuse);
  });

  await confirm.click();
  await expect(notice(page, "Resource deleted")).toBeVisible();
  await expect(card(page, name)).toHaveCount(0);
  await expect(page.getByText("No resources found with the following criteria")).toBeVisible();
  await page.reload();
  await expect(page.getByText("No resources found with the following criteria")).toBeVisible();
});
