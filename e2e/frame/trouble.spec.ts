import { unfoldNavigation } from "../support/people";
import { expect, test } from "../support/test";

test("a wrong address says so and leads on", async ({ page, watch }) => {
  watch.expects(/status of 404 .*\/no\/such\/page/);
  await page.goto("/no/such/page");
  await expect(page.getByRole("heading", { level: 1, name: "Page not found" })).toBeVisible();
  await expect(page).toHaveTitle("Page not found · Cairn");
  const main = page.getByRole("main");
  await expect(main.getByRole("link", { name: "Browse the catalog" })).toHaveAttribute("href", /^\/resources\?/);
  await main.getByRole("searchbox", { name: "Search the catalog" }).fill("argon");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/^[^?]*\/resources\?resourceTypes=[A-Z,]+&searchText=argon$/);
  await expect(main.getByRole("article").first()).toContainText(/argon/i);
});

test("a page whose code is gone is loaded anew once, and then said to be broken; the others work", async ({
  page,
  watch,
}) => {
  watch.expects(/net::ERR_FAILED/, /dynamically imported module/, /Failed to fetch/);
  await page.goto("/");
  let documents = 0;
  page.on("request", (request) => {
    if (request.isNavigationRequest()) documents++;
  });
  await page.route(/EventsRoute[^/]*\.js$/, (route) => route.abort());
  await unfoldNavigation(page);
  await page.getByRole("link", { name: "Events" }).first().click();
  await expect(page.getByRole("heading", { level: 1, name: "Something went wrong" })).toBeVisible();
  await expect(page.getByRole("alert")).toContainText("This page could not be shown.");
  expect(documents).toBe(1);

  await unfoldNavigation(page);
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Catalog" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Research Catalog" })).toBeVisible();
  await page.unroute(/EventsRoute[^/]*\.js$/);
  await unfoldNavigation(page);
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Events" }).click();
  await page.getByRole("button", { name: "Reload" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Events" })).toBeVisible();
});

test("a page that breaks leaves the navigation and the other pages alone", async ({ page, watch }) => {
  watch.expects(/Cannot read properties|is not iterable|undefined|TypeError/);
  // The server never sends such an answer.
  await page.route("**/api/v1/rf/resources/public/tags/all", (route) => route.fulfill({ json: [{ value: null }] }));
  await page.route("**/api/v1/rf/resources/public?**", (route) =>
    route.fulfill({ json: { content: [{}], facets: {} } }),
  );
  await page.goto("/events");
  await unfoldNavigation(page);
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Catalog" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Something went wrong" })).toBeFocused();
  await unfoldNavigation(page);
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Events" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Events" })).toBeFocused();
});

test("a page that broke starts anew with the next address, also one of its own @all", async ({ page, watch }) => {
  watch.expects(/Cannot read properties|is not iterable|undefined|TypeError/);
  await page.goto("/resources?searchText=argon");
  const found = page.getByRole("main").getByRole("article").first();
  await expect(found).toContainText(/argon/i);
  const list = "**/api/v1/rf/resources/public?**";
  await page.route(list, (route) => route.fulfill({ json: { content: [{}], facets: {} } }));
  await unfoldNavigation(page);
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Catalog" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Something went wrong" })).toBeVisible();
  await page.unroute(list);
  await page.goBack();
  await expect(found).toContainText(/argon/i);
});

test("without a network the page says what still works, and goes on by itself @all", async ({ page, context, watch }) => {
  watch.expects(/net::ERR_INTERNET_DISCONNECTED/);
  const notice = page.getByText("The server cannot be reached. You can keep reading");
  await page.goto("/resources/datasets");
  const card = page.getByRole("main").getByRole("article").first();
  await expect(card).toBeVisible();
  await expect(notice).toBeHidden();

  await context.setOffline(true);
  await expect(notice).toBeVisible();
  await expect(page.locator("[aria-live=polite]").filter({ has: notice })).toHaveCount(1);
  await expect(notice).toBeInViewport({ ratio: 1 });
  await expect(card).toBeVisible();
  // A section that failed to load fills in when the network is back.
  await page.getByRole("searchbox").fill("argon");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("main").getByRole("alert")).toContainText("The server cannot be reached.", {
    timeout: 20_000,
  });

  await context.setOffline(false);
  await expect(notice).toBeHidden();
  await expect(page.getByRole("main").getByRole("article")).toHaveText([/argon/]);
});

test("notices wait while they are looked at, and go when they are told to @all", async ({ page }) => {
  const notice = page.getByRole("region", { name: "Notifications" }).getByRole("alert");
  await page.clock.install();
  await page.goto("/resources?resourceTypes=SPELL");
  await expect(notice).toContainText("Invalid resource type");
  await expect(page.locator("[aria-live]").filter({ has: notice })).toHaveCount(0);
  await notice.hover();
  await page.clock.fastForward(60_000);
  await expect(notice).toBeVisible();
  await page.clock.pauseAt(Date.now() + 120_000);
  await page.mouse.move(1, 1);
  let stayed = -500;
  await expect(async () => {
    await page.clock.runFor(500);
    stayed += 500;
    expect(await notice.count()).toBe(0);
  }).toPass({ intervals: [50] });
  expect(stayed, "milliseconds").toBeGreaterThanOrEqual(4_000);
  await page.clock.resume();

  await page.goto("/resources?resourceTypes=MAGIC");
  const dismiss = notice.getByRole("button", { name: "Dismiss: Invalid resource type" });
  await dismiss.focus();
  await page.clock.fastForward(60_000);
  await expect(notice).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(notice).toHaveCount(0);
});
