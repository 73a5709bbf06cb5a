import type { Page } from "@playwright/test";
import { openAs, people, running, unfoldNavigation } from "../support/people";
import { expect, test } from "../support/test";

const item = (page: Page, name: string) =>
  page.getByRole("navigation", { name: "Main" }).getByRole("link", { name, exact: true });

/** Expects the page's title, the focus on its only h1, and the screen reader announcement. */
async function expectArrival(page: Page, heading: string, title = `${heading} · Cairn`): Promise<void> {
  const h1 = page.getByRole("heading", { level: 1 });
  await expect(h1).toHaveText(heading);
  await expect(h1).toHaveCount(1);
  await expect(h1).toBeFocused();
  await expect(page).toHaveTitle(title);
  await expect(page.locator("[aria-live=polite].visually-hidden")).toHaveText(title);
}

test("title, heading, focus and voice move with the page, also on Back", async ({ page }) => {
  const headline = "Find research you can run";
  await page.goto("/");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(headline);
  await expect(page.locator("body")).toBeFocused();

  await unfoldNavigation(page);
  await item(page, "Events").click();
  await expectArrival(page, "Events");
  await unfoldNavigation(page);
  await item(page, "Catalog").click();
  await expectArrival(page, "Research Catalog");
  await unfoldNavigation(page);
  await expect(item(page, "Catalog")).toHaveAttribute("aria-current", "page");
  await item(page, "Sessions").click();
  await expectArrival(page, "Cairn", "Sign in · Cairn");
  await page.goBack();
  await expectArrival(page, "Research Catalog");
  await page.goBack();
  await expectArrival(page, "Events");
  await page.goBack();
  await expectArrival(page, headline, "Cairn");
  await page.goForward();
  await expectArrival(page, "Events");
});

test("another page begins at its top, and Back returns to where one was", async ({ page }) => {
  const scrolled = () => page.evaluate(() => Math.round(window.scrollY));
  await page.goto("/resources/datasets");
  await expect(page.getByRole("article").first()).toBeVisible();
  await expect(page.getByRole("contentinfo")).toBeAttached(); // It is loaded after the first paint.
  await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
  const before = await scrolled();
  expect(before).toBeGreaterThan(200);
  await page.getByRole("contentinfo").getByRole("link", { name: "Events" }).click();
  await expectArrival(page, "Events");
  expect(await scrolled()).toBe(0);
  await page.goBack();
  await expectArrival(page, "Datasets");
  await expect.poll(scrolled).toBe(before);
});

test("a part that the address names has the focus after a move, and Back only opens it", async ({
  page,
  cairn,
}) => {
  const slug = "data-driven-and-large-scale-modeling-in-neuroscience";
  // A document with a link such as a site file may contain.
  await page.route(`${cairn.url}/resources/models`, async (route) => {
    const response = await route.fetch();
    const body = await response.text();
    await route.fulfill({ response, body: body.replaceAll('"href":"/events"', `"href":"/events#${slug}"`) });
  });
  await page.goto("/resources/models");
  await page.getByRole("contentinfo").locator(`a[href="/events#${slug}"]`).click();
  const summary = page.locator(`#${slug} > summary`);
  await expect(summary).toBeFocused();
  await expect(summary).toBeInViewport({ ratio: 1 });

  await unfoldNavigation(page);
  await item(page, "Catalog").click();
  await expectArrival(page, "Research Catalog");
  await page.goBack();
  // The browser makes the next Tab start at the target, so nothing has the focus.
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Events");
  await expect(page.locator(`#${slug}`)).toHaveAttribute("open");
  await expect(summary).not.toBeFocused();
});

test("every way to write an address is one page, and a second click on the way there no second visit @all", async ({
  page,
}) => {
  await page.goto("/resources/starred/");
  await expect(page).toHaveURL("/login?redirect=%2Fresources%2Fstarred");
  await page.goto("/%65vents");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Events");
  await page.goto("/resources/");
  await expect(page).toHaveURL("/resources");
  await unfoldNavigation(page);
  await expect(item(page, "Catalog")).toHaveAttribute("aria-current", "page");

  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(/EventsPage[^/]*\.js$/, async (route) => {
    await released;
    await route.continue();
  });
  const visits = await page.evaluate(() => window.history.length);
  await item(page, "Events").click();
  await expect(page).toHaveURL("/events");
  await unfoldNavigation(page); // navigating collapsed it
  await item(page, "Events").click();
  release();
  await expectArrival(page, "Events");
  expect(await page.evaluate(() => window.history.length)).toBe(visits + 1);
});

test("the middle button opens an item of the navigation in another tab @all", { tag: "@desktop" }, async ({ page }) => {
  await page.goto("/events");
  const opened = page.context().waitForEvent("page");
  await item(page, "Catalog").click({ button: "middle" });
  const tab = await opened;
  await expect(tab.getByRole("heading", { level: 1, name: "Research Catalog" })).toBeVisible();
  await expect(page).toHaveURL("/events");
});

test("the first Tab leads past the navigation", async ({ page }) => {
  await page.goto("/events");
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  for (const landmark of ["banner", "main", "contentinfo"] as const) {
    await expect(page.getByRole(landmark)).toHaveCount(1);
  }
  await page.keyboard.press("Tab");
  const skip = page.getByRole("link", { name: "Skip to content" });
  await expect(skip).toBeFocused();
  await expect(skip).toBeInViewport({ ratio: 1 });
  await page.keyboard.press("Enter");
  await expect(page.getByRole("main")).toBeFocused();
  await page.keyboard.press("Tab");
  await expect(page.getByRole("main").locator(":focus")).toHaveCount(1);
});

test("the menu of a narrow window folds by Escape, by going on and by leaving it @all", async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 640 });
  await page.goto("/events");
  await running(page);
  const menu = page.getByRole("button", { name: "Menu", exact: true });
  await menu.focus();
  await page.keyboard.press("Enter");
  await expect(menu).toHaveAttribute("aria-expanded", "true");
  await page.keyboard.press("Tab");
  await expect(item(page, "Catalog")).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(menu).toHaveAttribute("aria-expanded", "false");
  await expect(menu).toBeFocused();

  await page.keyboard.press("Enter");
  await item(page, "Events").focus();
  await page.keyboard.press("Tab");
  await expect(menu).toHaveAttribute("aria-expanded", "false");

  await menu.click();
  await item(page, "Starred").click();
  await expect(page).toHaveURL(/\/login/);
  await expect(menu).toHaveAttribute("aria-expanded", "false");
});

test("the menu folds as soon as one goes on, and stays open for who opens it before the page is there @all", async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 640 });
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(/EventsPage[^/]*\.js$/, async (route) => {
    await released;
    await route.continue();
  });
  await page.goto("/login");
  await running(page);
  const menu = page.getByRole("button", { name: "Menu", exact: true });
  await menu.click();
  await item(page, "Events").click();
  await expect(page).toHaveURL("/events");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Cairn");
  await expect(menu).toHaveAttribute("aria-expanded", "false");
  await expect(menu).toBeFocused();

  await menu.click();
  release();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Events");
  await expect(menu).toHaveAttribute("aria-expanded", "true");
  await expect(menu).toBeFocused();
  await item(page, "Catalog").click();
  await expectArrival(page, "Research Catalog");
  await expect(menu).toHaveAttribute("aria-expanded", "false");
});

/** Returns the focused element if not even its top edge can be seen: it's under a bar, or out of view. */
const coveredFocus = (page: Page) =>
  page.evaluate(() => {
    const element = document.activeElement;
    if (!element || element === document.body || element.tagName === "IFRAME") return undefined;
    const { left, top, width, height } = element.getBoundingClientRect();
    const name = `${element.tagName} ${element.getAttribute("aria-label") ?? element.textContent?.slice(0, 40)}`;
    const seen = [0.25, 0.5, 0.75].some((part) => {
      const found = document.elementFromPoint(left + width * part, top + Math.min(height / 2, 12));
      // A small control counts with its label, and a card's link with the card.
      return found && (element.contains(found) || found.contains(element));
    });
    return seen ? undefined : `${name} at ${Math.round(top)}`;
  });

for (const { name, width, height } of [
  { name: "320 px", width: 320, height: 640 },
  { name: "1280 px at 200 % zoom", width: 640, height: 400 },
]) {
  test(`no bar covers what has the focus, at ${name} @all`, { tag: "@desktop" }, async ({ page }) => {
    await page.setViewportSize({ width, height });
    await page.goto("/resources");
    await expect(page.getByRole("article").first()).toBeVisible();
    for (const [key, steps] of [
      ["Tab", 45],
      ["Shift+Tab", 40],
    ] as const) {
      for (let step = 0; step < steps; step++) {
        await page.keyboard.press(key);
        await expect.poll(() => coveredFocus(page), `after ${key} ${step}`).toBeUndefined();
      }
    }
    expect(await page.evaluate(() => document.activeElement?.tagName)).not.toBe("BODY");
  });
}

test("where the system chooses the colors, what is chosen and what has the focus still shows @all", async ({ page }) => {
  await page.emulateMedia({ forcedColors: "active" });
  await page.goto("/resources?resourceTypes=DATASET");
  const outline = (name: string) =>
    page.getByRole("button", { name: new RegExp(`^${name}`) }).evaluate((each) => getComputedStyle(each).outlineStyle);
  await expect(page.getByRole("button", { name: /^Datasets/ })).toHaveAttribute("aria-pressed", "true");
  expect(await outline("Datasets")).toBe("solid");
  expect(await outline("Notebooks")).toBe("none");
  const search = page.getByRole("searchbox", { name: "Search the catalog" });
  await search.focus();
  expect(await search.evaluate((each) => getComputedStyle(each).outlineStyle)).toBe("solid");
});

test("with reduced motion nothing moves @all", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  const moving = () =>
    page.evaluate(() => document.getAnimations().filter(({ playState }) => playState === "running").length);
  // Answers are held back while the placeholders are checked.
  let release = () => {};
  const answered = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route("**/api/v1/rf/resources/**", async (route) => {
    await answered;
    await route.continue();
  });
  await page.goto("/events");
  await unfoldNavigation(page);
  await item(page, "Catalog").click();
  await expect(page.getByRole("main").getByRole("status").locator("[aria-hidden]").first()).toBeVisible();
  expect(await moving()).toBe(0);
  release();
  await expect(page.getByRole("main").getByRole("article").first()).toBeVisible();
  await openAs(page, people.researcher, "/sessions");
  await page.getByRole("button", { name: "Start Project Session" }).click();
  await expect(page.getByRole("dialog")).toBeVisible();
  expect(await moving()).toBe(0);
});
