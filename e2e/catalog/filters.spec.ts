import type { Locator, Page } from "@playwright/test";
import {
  card,
  cards,
  closeTags,
  collectCalls,
  expectFilters,
  expectTotal,
  gate,
  listCalls,
  openTags,
  searchBox,
  tagBox,
} from "../support/catalog";
import { unfoldNavigation } from "../support/people";
import { series } from "./entries";
import { expect, test, total } from "./fixtures";

const types = ["Repositories", "Notebooks", "Datasets", "Models"];

test("a plain address means any type, and a text works without types", async ({ page, cairn }) => {
  await page.goto("/resources");
  await expect(page.getByRole("heading", { level: 1, name: "Research Catalog" })).toBeVisible();
  await expectTotal(page, await total(cairn, ""));
  for (const type of types) {
    await expect(page.getByRole("button", { name: new RegExp(`^${type} \\d+$`) })).toHaveAttribute("aria-pressed", "true");
  }
  await page.goto("/resources?searchText=quokka+repository");
  await expect(card(page, "Quokka repository")).toBeVisible();
  await expect(searchBox(page)).toHaveValue("quokka repository");
});

test("typing is watched until it rests for 400 ms, and sent 200 ms later", async ({ page }) => {
  await page.clock.install();
  await page.goto("/resources");
  await expect(cards(page).first()).toBeVisible();
  await page.clock.pauseAt(Date.now() + 60_000);
  const calls = collectCalls(page);
  await searchBox(page).pressSequentially("quokka n");
  await page.clock.runFor(390);
  await searchBox(page).pressSequentially("o");
  // In small steps: the page starts its second delay only after it has rendered the address.
  const [step, longest] = [10, 5_000];
  let rests = 390;
  await page.clock.runFor(rests);
  const passUntil = async (reached: () => Promise<boolean>) => {
    for (; rests < longest && !(await reached()); rests += step) await page.clock.runFor(step);
    return rests;
  };
  const written = await passUntil(() => page.evaluate(() => location.search !== ""));
  expect(written).toBeGreaterThanOrEqual(400);
  await expectFilters(page, { searchText: "quokka no" });
  expect(calls).toEqual([]);
  const sent = await passUntil(async () => calls.length > 0);
  expect(sent).toBeGreaterThanOrEqual(written + 200 - step);
  expect(calls[0]?.searchParams.get("nameSearch")).toBe("quokka no");
  await page.clock.resume();
  await expectTotal(page, 1);
  expect(calls).toHaveLength(1);
});

test("filters replace the entry of the history, and Back and Forward restore them @all", async ({ page }) => {
  await page.goto("/");
  await unfoldNavigation(page);
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Catalog" }).click();
  await expect(cards(page).first()).toBeVisible();
  const before = await page.evaluate(() => history.length);
  await page.getByRole("button", { name: /^Models/ }).click();
  await searchBox(page).fill("quokka");
  await page.getByLabel("Sorted by").selectOption("newest");
  const chosen = { resourceTypes: "REPOSITORY,NOTEBOOK,DATASET", searchText: "quokka", sort: "newest" };
  await expectFilters(page, chosen);
  expect(await page.evaluate(() => history.length)).toBe(before);
  await expectTotal(page, 4);

  await unfoldNavigation(page);
  await page.getByRole("link", { name: "Events", exact: true }).first().click();
  await expect(page.getByRole("heading", { level: 1, name: "Events" })).toBeVisible();
  await page.goBack();
  await expectFilters(page, chosen);
  await expectTotal(page, 4);
  await expect(searchBox(page)).toHaveValue("quokka");
  await expect(page.getByRole("button", { name: /^Models/ })).toHaveAttribute("aria-pressed", "false");
  await page.goBack();
  await expect(page).toHaveURL("/");
  await page.goForward();
  await expectFilters(page, chosen);
  await expect(searchBox(page)).toHaveValue("quokka");
  await expectTotal(page, 4);
});

/** Slows the page's CPU down by a factor of six until the returned function is called. */
async function slowDown(page: Page): Promise<() => Promise<void>> {
  const session = await page.context().newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate: 6 });
  return async () => {
    await session.send("Emulation.setCPUThrottlingRate", { rate: 1 });
  };
}

/** Clicks a control that is off, and fails unless every frame from then on shows it on. */
async function expectSteady(page: Page, control: Locator, property: string): Promise<void> {
  await control.evaluate((element, name) => {
    const frames: string[] = [];
    Object.assign(window, { frames });
    const look = () => {
      frames.push(String(name === "checked" ? (element as HTMLInputElement).checked : element.getAttribute(name)));
      if (frames.length < 60) requestAnimationFrame(look);
    };
    element.addEventListener("click", () => requestAnimationFrame(look), { once: true });
  }, property);
  await control.click();
  const frames = () => page.evaluate(() => (window as unknown as { frames: string[] }).frames);
  await expect.poll(async () => (await frames()).length).toBe(60);
  expect([...new Set(await frames())]).toEqual(["true"]);
}

test("a click shows at once and stays, however slow the page and its answers are @all", async ({ page }) => {
  await page.goto("/resources?resourceTypes=REPOSITORY&tags=zoo");
  await expect(cards(page).first()).toBeVisible();
  const shown = gate();
  await page.route(listCalls, async (route) => {
    await shown.opened;
    await route.continue().catch(() => {}); // the page may have aborted it
  });
  const speedUp = await slowDown(page);
  const chip = page.getByRole("button", { name: /^Notebooks/ });
  await expectSteady(page, chip, "aria-pressed");
  await openTags(page);
  const box = tagBox(page, "Marsupials");
  await expectSteady(page, box, "checked");
  shown.open();
  await box.uncheck();
  await closeTags(page);
  // Quick clicks add up.
  await page.getByRole("button", { name: /^Datasets/ }).click();
  await page.getByRole("button", { name: /^Models/ }).click();
  await page.getByRole("button", { name: /^Notebooks/ }).click();
  await speedUp();
  await expectFilters(page, { resourceTypes: "REPOSITORY,DATASET,MODEL", tags: "zoo" });
  await expectTotal(page, 5);
  await expect(chip).toHaveAttribute("aria-pressed", "false");
});

test("what is typed while the page is busy is not lost @all", async ({ page }) => {
  await page.goto("/resources");
  await expect(cards(page).first()).toBeVisible();
  const speedUp = await slowDown(page);
  await searchBox(page).pressSequentially("quokka model", { delay: 130 });
  await speedUp();
  await expectFilters(page, { searchText: "quokka model" });
  await expectTotal(page, 1);
  await expect(searchBox(page)).toHaveValue("quokka model");
});

test("a late answer never takes the place of a newer one @all", async ({ page }) => {
  await page.goto("/resources");
  await expect(cards(page).first()).toBeVisible();
  let late: Promise<void> | undefined;
  let newerShown = () => {};
  await page.route(/nameSearch=series/, async (route) => {
    late ??= new Promise((resolve) => {
      newerShown = resolve;
    });
    await late;
    // The page may have aborted it.
    await route.continue().catch(() => {});
  });
  const asked = page.waitForRequest(/nameSearch=series/);
  await searchBox(page).fill("series");
  await asked;
  await expect(page.getByRole("heading", { name: "Searching…" })).toBeVisible();
  await searchBox(page).fill("quokka notebook");
  await expectTotal(page, 1);
  newerShown();
  const newest = page.waitForResponse(/nameSearch=quokka\+repository|nameSearch=quokka%20repository/);
  await searchBox(page).fill("quokka repository");
  await newest;
  await expectTotal(page, 1);
  await expect(cards(page)).toHaveCount(1);
  await expect(card(page, "Quokka repository")).toBeVisible();
});

test("types that do not exist are named with those that do, and are not sent", async ({ page }) => {
  const calls = collectCalls(page);
  await page.goto("/resources?resourceTypes=NOTEBOOK,SPELL,toString&searchText=quokka");
  const toast = page.getByRole("alert").filter({ hasText: "Invalid resource type" });
  await expect(toast).toContainText("REPOSITORY, NOTEBOOK, DATASET, MODEL");
  await expect(toast).toContainText("SPELL, toString");
  await expectTotal(page, 1);
  await page.getByRole("button", { name: /^Datasets/ }).click();
  await expectTotal(page, 3);
  expect(calls.map(({ searchParams }) => searchParams.get("type"))).toEqual(["NOTEBOOK,DATASET"]);
  await expect(toast).toHaveCount(1);
});

test("the order is chosen, stays in the address, and by relevance only with a text @all", async ({ page }) => {
  await page.goto("/resources?tags=zoo");
  const order = page.getByLabel("Sorted by");
  await expect(order).toHaveValue("used");
  await expect(order.getByRole("option")).toHaveText(["most used", "name", "newest", "most stars", "clean runs first"]);
  await order.selectOption("name");
  await expectFilters(page, { tags: "zoo", sort: "name" });
  await expect(cards(page).first()).toContainText("Quokka");
  const byName = await cards(page).getByRole("heading").allTextContents();
  expect(byName).toEqual([...byName].sort((a, b) => a.toLowerCase().localeCompare(b.toLowerCase(), "en")));

  await page.goto("/resources?tags=zoo");
  await searchBox(page).fill("quokka");
  await expect(order).toHaveValue("relevance");
  await order.selectOption("name");
  await expectFilters(page, { tags: "zoo", searchText: "quokka", sort: "name" });
  await page.reload();
  await expect(order).toHaveValue("name");
  await order.selectOption("relevance");
  await expectFilters(page, { tags: "zoo", searchText: "quokka", sort: "relevance" });
  // The exact name comes first.
  await expect(cards(page).first().getByRole("heading")).toHaveText("Quokka");
});

test("further pages come on demand, from an address that can be shared @all", async ({ page }) => {
  await page.goto(`/resources?tags=${series.tag}`);
  await expectTotal(page, series.count);
  await expect(cards(page)).toHaveCount(100);
  const first = await cards(page).getByRole("heading").allTextContents();
  const pages = page.getByRole("navigation", { name: "Pages" });
  await expect(pages).toContainText("Page 1 of 2");
  await pages.getByRole("button", { name: "Next" }).click();
  await expectFilters(page, { tags: series.tag, page: "2" });
  await expect(cards(page)).toHaveCount(series.count - 100);
  await expect(page.getByRole("region", { name: "Results" })).toBeFocused();
  await expect(cards(page).first()).toBeInViewport();
  const second = await cards(page).getByRole("heading").allTextContents();
  expect(new Set([...first, ...second]).size).toBe(series.count);

  await page.reload();
  await expect(cards(page).first().getByRole("heading")).toHaveText("Series 101");
  await pages.getByRole("button", { name: "Previous" }).click();
  await expect(cards(page).first().getByRole("heading")).toHaveText("Series 001");
  await expectFilters(page, { tags: series.tag });
  await page.goBack();
  await expect(pages.getByRole("button", { name: "Page 2", exact: true })).toHaveAttribute("aria-current", "page");
  await pages.getByRole("button", { name: "Page 1", exact: true }).click();
  await expectFilters(page, { tags: series.tag });

  await test.step("another filter leads to its first page", async () => {
    await page.goto(`/resources?tags=${series.tag}&page=2`);
    await page.getByRole("button", { name: "Only Datasets" }).click();
    await expectFilters(page, { resourceTypes: "DATASET", tags: series.tag });
    await expect(cards(page)).toHaveCount(100);
  });

  await test.step("a page too far says so and leads to the last", async () => {
    await page.goto(`/resources?tags=${series.tag}&page=7`);
    await expect(page.getByText("There is no page 7.")).toBeVisible();
    await page.getByRole("button", { name: "Show page 2" }).click();
    await expect(cards(page)).toHaveCount(series.count - 100);
  });
});

test("the search tips show what can be typed, and it works @all", async ({ page }) => {
  await page.goto("/resources");
  await expect(page.getByText("tag:neuroscience")).toBeHidden();
  await page.getByText("Search tips").click();
  for (const example of ["tag:neuroscience", "type:model", "author:ada", '"visual cortex"', "cortex -mouse"]) {
    await expect(page.getByText(example, { exact: true })).toBeVisible();
  }
  for (const [text, found] of [
    ["tag:zoo type:model", 2],
    ["author:second type:dataset", 1],
    ['"a marsupial"', 4],
    ['"marsupial a"', 0],
    ['tag:"md, namd" notebo', 1],
  ] as const) {
    await searchBox(page).fill(text);
    if (found > 0) await expectTotal(page, found);
    else await expect(page.getByText("No resources found with the following criteria")).toBeVisible();
  }
});

test("on paper a search names its filters", async ({ page }) => {
  await page.goto("/resources?searchText=quokka&resourceTypes=NOTEBOOK,DATASET");
  const filters = page.getByRole("group", { name: "Applied filters" });
  await expect(filters).toBeAttached();
  await page.emulateMedia({ media: "print" });
  await expect(filters.getByText("“quokka”, Notebooks, Datasets")).toBeVisible();
  await expect(filters.getByText("Clear all")).toBeHidden();
});
