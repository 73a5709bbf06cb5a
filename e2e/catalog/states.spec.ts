import type { Page, Route } from "@playwright/test";
import { expectAccessible } from "../support/accessible";
import { expectSoon, problem } from "../support/answers";
import { card, cards, expectFilters, expectTotal, gate, listCalls, searchBox } from "../support/catalog";
import { expect, test } from "./fixtures";

const nothing = "No resources found with the following criteria";

/** Starts a search that isn't answered in the document, by choosing a filter on the page. */
async function chooseModels(page: Page): Promise<void> {
  await page.goto("/resources?tags=zoo");
  await expectTotal(page, 6);
  await page.getByRole("button", { name: "Only Models" }).click();
}

test("nothing found is said with the chosen tags and types, and only when it is so @all", async ({ page }) => {
  await page.goto("/resources?resourceTypes=NOTEBOOK,MODEL&tags=zoo,md%5C%2C+namd&searchText=no+such+words");
  const state = page.getByRole("main");
  await expect(state.getByText(nothing)).toBeVisible();
  await expect(state.getByRole("definition")).toHaveText(["no such words", "zoo, md, namd", "Notebooks, Models"]);
  await expectAccessible(page);

  const answers = gate();
  await page.route(listCalls, async (route) => {
    await answers.opened;
    await route.continue();
  });
  await searchBox(page).fill("");
  await expect(page.getByText("Loading entries")).toBeAttached();
  await expect(state.getByText(nothing)).toHaveCount(0);
  answers.open();
  await expectTotal(page, 2);
  await page.goto("/resources?searchText=qqqq");
  await page.getByRole("link", { name: "Show the whole catalog" }).click();
  await expectFilters(page, { resourceTypes: "REPOSITORY,NOTEBOOK,DATASET,MODEL" });
});

test("skeletons stand in while the first answer is awaited @all", async ({ page }) => {
  const answers = gate();
  await page.route(listCalls, async (route) => {
    await answers.opened;
    await route.continue();
  });
  // Loaded without the document's data: the server reads such a page number differently.
  await page.goto("/resources?tags=zoo&page=1x&searchText=quokka&sort=%20");
  await page.goto("/events");
  await page.getByRole("contentinfo").getByRole("link", { name: "All entries" }).click();
  await expect(page.getByText("Loading entries")).toBeAttached();
  await expect(page.getByText(nothing)).toHaveCount(0);
  await expect(page.getByText("No tags match")).toHaveCount(0);
  answers.open();
  await expect(cards(page).first()).toBeVisible();
  await expect(page.getByText("Loading entries")).toHaveCount(0);
});

test("a failure is told in a toast and in place, and Retry mends it there @all", async ({ page, watch }) => {
  watch.expects(/status of 500/, /net::ERR_FAILED/);
  await page.clock.install();
  await page.route(listCalls, (route) => problem(route, 500, "Something went wrong on the server."));
  await chooseModels(page);
  const state = page.getByRole("main").getByRole("alert");
  await expectSoon(page, state.getByText("The catalog couldn't be loaded."));
  await expect(state).toContainText("Something went wrong on the server.");
  const toast = page.getByRole("region", { name: "Notifications" }).getByRole("alert");
  await expect(toast).toContainText("Error fetching resources");
  await expect(toast).toContainText("An error occurred while fetching resources.");
  await expect(toast).toHaveCount(1);
  await expect(page.getByText(nothing)).toHaveCount(0);
  await expect(page.locator("[aria-labelledby=tags] [aria-hidden=true]"), "the tags are not awaited").toHaveCount(0);
  await expectAccessible(page);

  await page.unroute(listCalls);
  await state.getByRole("button", { name: "Retry" }).click();
  await expectTotal(page, 2);
  await expect(state).toHaveCount(0);
  await expectFilters(page, { resourceTypes: "MODEL", tags: "zoo" });
});

test("a server that cannot be reached is told apart @all", async ({ page, watch }) => {
  watch.expects(/net::ERR_FAILED/);
  await page.clock.install();
  await page.route(listCalls, (route) => route.abort());
  await chooseModels(page);
  await expectSoon(page, page.getByRole("main").getByRole("alert").getByText("The server cannot be reached."));
  await expect(page.getByText("Error fetching resources")).toBeVisible();
});

test("cards stay when asking for them once more fails @all", async ({ page, watch }) => {
  watch.expects(/status of 500/);
  await chooseModels(page);
  await expectTotal(page, 2);
  await page.clock.install();
  await page.clock.fastForward("02:00");
  await page.route(listCalls, (route) => problem(route, 500, "Something went wrong on the server."));
  // The window gets the focus again.
  await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange", { bubbles: true })));
  await expectSoon(page, page.getByText("Error fetching resources"));
  await expect(cards(page)).toHaveCount(2);
});

test("a search whose index is being built says how far it is and goes on by itself @all", async ({ page, watch }) => {
  watch.expects(/status of 503/);
  await page.goto("/resources?tags=zoo");
  await expectTotal(page, 6);
  let percent = 60;
  await page.route(/nameSearch=/, (route) => {
    if (percent > 100) return route.continue();
    const message = `The search index is being built: ${percent} % of 1,000,000 entries are in it. Lists and searches have to wait for it; all else works.`;
    return problem(route, 503, message, { "Retry-After": "1" }, { code: "index_building", progress: percent / 100 });
  });
  await searchBox(page).fill("quokka model");
  const state = page.getByRole("main");
  await expect(state.getByText("The search is getting ready.")).toBeVisible();
  for (; percent <= 100; percent += 20) {
    await expect(state.getByText(`The search index is being built: ${percent} % of 1,000,000 entries`)).toBeVisible();
    await expect(state.getByRole("progressbar", { name: "Search index" })).toHaveAttribute("value", String(percent));
    await expect(page.getByText("Loading entries")).toHaveCount(0);
  }
  await expectTotal(page, 1);
  await expect(page.getByRole("region", { name: "Notifications" }).getByRole("alert")).toHaveCount(0);
});

test("while the index is being built every list says so, and single entries are shown @all", async ({ page, watch }) => {
  watch.expects(/status of 503/);
  const message = "The search index is being built and is 3% done. Lists and searches have to wait for it; everything else works.";
  const building = (route: Route) =>
    problem(route, 503, message, { "Retry-After": "60" }, { code: "index_building", progress: 0.03 });
  await page.goto("/resources?tags=zoo");
  await expectTotal(page, 6);
  const link = cards(page).first().getByRole("link").first();
  const [name, entry] = [await link.innerText(), await link.getAttribute("href")];
  await page.route(/resources\/public\?/, building);
  await page.getByRole("button", { name: /^Notebooks/ }).click();
  await expect(page.getByText(message)).toBeVisible();
  await expectAccessible(page);
  await page.goto(entry ?? "");
  await expect(page.getByRole("heading", { level: 1, name })).toBeVisible();
});

test("another spelling that was searched for is named @all", async ({ page }) => {
  await page.goto("/resources");
  await searchBox(page).fill("qoukka notebook");
  await expect(page.getByText("Nothing matched “qoukka notebook”. Showing results for “quokka notebook”.")).toBeVisible();
  await expect(card(page, "Quokka notebook")).toBeVisible();
  await searchBox(page).fill("quokka notebook");
  await expectFilters(page, { searchText: "quokka notebook" });
  await expect(page.getByText("Nothing matched")).toHaveCount(0);
});

test("words and filters that find nothing are left out @all", async ({ page }) => {
  await page.goto("/resources?tags=zoo,nowhere");
  await page.getByRole("button", { name: "Without the tag “nowhere”: 6 results" }).click();
  await expectTotal(page, 6);
  await expectFilters(page, { tags: "zoo" });
  await searchBox(page).fill("quokka model qqqq");
  await expect(page.getByText("No entry mentions “qqqq”. The closest match everything else.")).toBeVisible();
  await expectTotal(page, 1);
  await expect(cards(page).getByRole("heading").locator("mark")).toHaveText(["Quokka", "model"]);
  await searchBox(page).fill("marsupial described at length as a model");
  await expect(page.getByText("1 entry matches all of “marsupial described at length as a model”.")).toBeVisible();
  await expect(page.getByText("The closest of the others match everything but “model”.")).toBeVisible();
  await expectTotal(page, 4);
  await expect(cards(page).first().getByRole("heading")).toHaveText("Quokka model");
});
