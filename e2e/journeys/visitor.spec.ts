import type { Page } from "@playwright/test";
import { closeTags, openTags } from "../support/catalog";
import { unfoldNavigation } from "../support/people";
import { expect, test } from "../support/test";

const types = ["Repositories", "Notebooks", "Datasets", "Models"];

/** Returns the number of entries that the catalog shows above its results. */
async function total(page: Page): Promise<number> {
  const line = page.getByRole("status").filter({ hasText: /result/ });
  return Number.parseInt((await line.textContent()) ?? "", 10);
}

/** Waits until the address is the catalog's with exactly these filters. */
async function expectFilters(page: Page, filters: Record<string, string>): Promise<void> {
  await expect(page).toHaveURL(({ pathname, searchParams }) => {
    const found = Object.fromEntries(searchParams);
    return pathname === "/resources" && JSON.stringify(found) === JSON.stringify(filters);
  });
}

test("the landing page says what this is and leads to the catalog and the sign-in", async ({ page }) => {
  await page.goto("/");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Find research you can run");
  const main = page.getByRole("main");
  await expect(main.getByRole("link", { name: "Sign in", exact: true })).toHaveAttribute("href", "/login");
  await expect(main.getByRole("link", { name: "Run the example now" })).toHaveAttribute("href", /^\/run\/[0-9a-f-]{36}$/);
  await expect(main.getByRole("link", { name: "spike train" })).toHaveAttribute("href", "/resources?searchText=spike+train");
  await expect(main.locator("form")).toHaveAttribute("action", "/resources");
  await main.getByRole("searchbox", { name: "Search the catalog" }).fill("neuron & spike");
  await page.keyboard.press("Enter");
  await expectFilters(page, { searchText: "neuron & spike" });
  await page.goBack();
  await main.getByRole("link", { name: "Browse the catalog" }).click();
  await expect(page).toHaveURL("/resources?resourceTypes=REPOSITORY,NOTEBOOK,DATASET,MODEL");
  await expect(page.getByRole("heading", { level: 1, name: "Research Catalog" })).toBeVisible();
});

test("the catalog is searched and filtered, and its address keeps what was chosen", async ({ page }) => {
  await page.goto("/resources?resourceTypes=REPOSITORY,NOTEBOOK,DATASET,MODEL");
  const cards = page.getByRole("main").getByRole("article");
  await expect(cards.first()).toBeVisible();
  await expect(page.getByRole("status").filter({ hasText: "results" })).toBeVisible();

  await test.step("all four types are there, each with its count", async () => {
    let sum = 0;
    for (const type of types) {
      const chip = page.getByRole("button", { name: new RegExp(`^${type} \\d+$`) });
      await expect(chip).toHaveAttribute("aria-pressed", "true");
      sum += Number.parseInt((await chip.textContent())?.replace(/\D/g, "") ?? "", 10);
      const label = type.replace("ies", "y").replace(/s$/, "");
      await expect(cards.filter({ has: page.getByText(label, { exact: true }) })).not.toHaveCount(0);
    }
    expect(await total(page)).toBe(sum);
    expect(await cards.count()).toBe(sum);
  });

  await test.step("a type is switched off", async () => {
    const before = await total(page);
    await page.getByRole("button", { name: /^Models/ }).click();
    await expectFilters(page, { resourceTypes: "REPOSITORY,NOTEBOOK,DATASET" });
    await expect.poll(() => total(page)).toBeLessThan(before);
    await expect(cards.filter({ hasText: "Gaussian16" })).toHaveCount(0);
  });

  await test.step("a tag narrows it", async () => {
    await openTags(page);
    const box = page.getByRole("checkbox", { name: /^neuroscience \d+$/ });
    const label = (await box.locator("..").textContent()) ?? "";
    const count = Number.parseInt(label.replace(/\D/g, ""), 10);
    await box.check();
    await closeTags(page);
    await expectFilters(page, { resourceTypes: "REPOSITORY,NOTEBOOK,DATASET", tags: "neuroscience" });
    await expect.poll(() => total(page)).toBe(count);
    await expect(cards).toHaveCount(count);
  });

  const chosen = {
    resourceTypes: "REPOSITORY,NOTEBOOK,DATASET",
    tags: "neuroscience",
    searchText: "shape spik",
  };
  await test.step("a text narrows it further", async () => {
    await page.getByRole("searchbox", { name: "Search the catalog" }).fill("shape spik");
    await expectFilters(page, chosen);
    await expect(cards).toHaveCount(1);
    await expect(cards).toContainText("The shape of a spike");
  });

  await test.step("the address brings all of it back", async () => {
    await page.reload();
    await expectFilters(page, chosen);
    await expect(cards).toHaveCount(1);
    await expect(page.getByRole("searchbox", { name: "Search the catalog" })).toHaveValue("shape spik");
    await expect(page.getByRole("button", { name: /^Models/ })).toHaveAttribute("aria-pressed", "false");
    await expect(page.getByRole("button", { name: /^Notebooks/ })).toHaveAttribute("aria-pressed", "true");
  });

  await test.step("the card opens its page in a new tab, and Back leads to the same search", async () => {
    const opened = page.context().waitForEvent("page");
    await cards.getByRole("link", { name: "The shape of a spike" }).click();
    const detail = await opened;
    await expect(detail.getByRole("heading", { level: 1, name: "The shape of a spike" })).toBeVisible();
    await expect(detail).toHaveURL(/\/resources\/notebooks\/[0-9a-f-]{36}\?from=/);
    await expect(detail.getByRole("main")).toContainText("Notebook");
    await detail.getByRole("link", { name: "Back", exact: true }).click();
    await expectFilters(detail, chosen);
    await expect(detail.getByRole("main").getByRole("article")).toHaveCount(1);
  });

  await test.step("nothing found is said", async () => {
    await page.getByRole("searchbox", { name: "Search the catalog" }).fill("qqqq zzzz");
    await expect(page.getByText("No resources found with the following criteria")).toBeVisible();
    await expect(page.getByText("qqqq zzzz", { exact: true })).toBeVisible();
  });
});

test("an unknown type in the address is named, and the catalog works", async ({ page }) => {
  await page.goto("/resources?resourceTypes=NOTEBOOK,SPELL");
  await expect(page.getByRole("alert")).toContainText("Invalid resource type");
  await expect(page.getByRole("alert")).toContainText("NOTEBOOK");
  await expect(page.getByRole("main").getByRole("article").first()).toBeVisible();
});

test("the navigation is whole, and what needs a login leads through it @phone", async ({ page }) => {
  const items = [
    { name: "Catalog", leads: "/resources?resourceTypes=REPOSITORY,NOTEBOOK,DATASET,MODEL" },
    { name: "Sessions", leads: "/login?redirect=%2Fsessions" },
    { name: "Add", leads: "/login?redirect=%2Fadd" },
    { name: "Starred", leads: "/login?redirect=%2Fresources%2Fstarred" },
    { name: "Events", leads: "/events" },
  ];
  const main = page.getByRole("navigation", { name: "Main" });
  await page.goto("/");
  await unfoldNavigation(page);
  await expect(main.getByRole("link")).toHaveText(items.map(({ name }) => name));
  for (const { name, leads } of items) {
    await unfoldNavigation(page);
    await main.getByRole("link", { name, exact: true }).click();
    await expect(page).toHaveURL(leads);
    await expect(page.getByRole("button", { name: "Menu", expanded: true }), "a move folds the list").toHaveCount(0);
  }
  await expect(page.getByRole("banner").getByRole("link", { name: "Login" })).toBeVisible();
  await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
  await expect(page.getByRole("banner")).toBeInViewport();
});

test("the login page shows the product, its tagline and the institution's login", async ({ page }) => {
  await page.goto("/login?redirect=%2Fsessions");
  await expect(page.getByRole("heading", { level: 1, name: "Cairn" })).toBeVisible();
  await expect(page.getByRole("main")).toContainText("Research data, code and notebooks that you can run");
  await expect(page.getByRole("button", { name: "Institution Login" })).toBeEnabled();
});
