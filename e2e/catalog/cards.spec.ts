import type { Locator, Page } from "@playwright/test";
import { card, cards, collectCalls, expectTotal, listCalls } from "../support/catalog";
import { openAs, people } from "../support/people";
import { hidden, pictured, series } from "./entries";
import { expect, test } from "./fixtures";

const spine = (locator: Locator) => locator.evaluate((element) => getComputedStyle(element).borderLeftColor);
const rgb = (hex: string) => `rgb(${[1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)).join(", ")})`;

/** Changes the entries in the answers of the lists. */
async function changeEntries(page: Page, change: (entry: Record<string, unknown>) => Record<string, unknown>): Promise<void> {
  await page.route(listCalls, async (route) => {
    const answer = await route.fetch();
    const body = (await answer.json()) as { content: Record<string, unknown>[] };
    await route.fulfill({ json: { ...body, content: body.content.map(change) } });
  });
}

test("a card is a label: type and its color, plain text on two lines, first author, the chosen tag before others", async ({ page }) => {
  await page.goto("/resources?tags=zoo");
  for (const [type, label, color] of [
    ["notebook", "Notebook", "#2f6fd0"],
    ["repository", "Repository", "#cf463c"],
    ["dataset", "Dataset", "#2f8f50"],
    ["model", "Model", "#8453c4"],
  ] as const) {
    const one = card(page, `Quokka ${type}`);
    await expect(one.getByText(label, { exact: true })).toBeVisible();
    expect(await spine(one)).toBe(rgb(color));
  }
  const one = card(page, "Quokka notebook");
  await expect(card(page, "Quokka model").getByText("1.0", { exact: true })).toBeVisible();
  await expect(one.getByRole("button", { name: /^Star/ }), "no zeros").toHaveText("");
  const description = one.getByText(/A marsupial as a notebook/);
  await expect(description).toHaveText(/^Quokka A marsupial as a notebook, described at length/);
  const [height, line] = await description.evaluate((element) => [
    element.clientHeight,
    Number.parseFloat(getComputedStyle(element).lineHeight),
  ]);
  expect(height).toBeLessThanOrEqual(2 * (line ?? 0) + 1);
  await expect(one).toContainText("First");
  await expect(one).not.toContainText(/second|example\.org/i);
  await expect(one.getByRole("list", { name: "Tags" }).getByRole("listitem")).toHaveText([
    "zoo", // that was chosen
    "back\\slash",
    "été",
    "Marsupials",
    "+1",
  ]);
});

test("a type that this page does not know is grey", async ({ page }) => {
  await page.goto("/resources?tags=zoo");
  await changeEntries(page, (entry) => ({ ...entry, type: "SIMULATION" }));
  await page.getByLabel("Sorted by").selectOption("newest");
  const one = card(page, "Quokka notebook");
  await expect(one.getByText("Other", { exact: true })).toBeVisible();
  await expect.poll(() => spine(one)).toBe(rgb("#7a8794")); // colors fade
});

test("cards beside each other are of equal height, and nothing is wider than the window", async ({ page }) => {
  await page.goto("/resources?tags=zoo");
  await expect(cards(page)).toHaveCount(6);
  const boxes = await cards(page).evaluateAll((all) =>
    all.map((each) => each.getBoundingClientRect()).map(({ top, height, width }) => ({ top, height, width })),
  );
  for (const { top, height, width } of boxes) {
    for (const other of boxes.filter((each) => each.top === top)) {
      expect(Math.abs(other.height - height)).toBeLessThan(1);
      expect(Math.abs(other.width - width)).toBeLessThan(1);
    }
  }
  const columns = boxes.filter(({ top }) => top === boxes[0]?.top).length;
  expect(columns).toBe((page.viewportSize()?.width ?? 0) >= 1280 ? 3 : 1);
  expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0);
});

test("a card is one link to a new tab, with nothing nested in it", async ({ page, context }) => {
  await page.goto("/resources?tags=zoo&searchText=quokka+notebook");
  const link = card(page, "Quokka notebook").getByRole("link");
  await expect(link).toHaveCount(1);
  await expect(link).toHaveAttribute("target", "_blank");
  await expect(link).toHaveAttribute("rel", /noopener/);
  expect(await page.locator("a a, a button, button a, button button").count()).toBe(0);
  const opened = context.waitForEvent("page");
  // The link covers the whole card.
  await card(page, "Quokka notebook").getByText(/A marsupial/).click({ force: true });
  const detail = await opened;
  await expect(detail).toHaveURL(/\/resources\/notebooks\/[0-9a-f-]{36}\?from=/);
  await expect(detail.getByRole("heading", { level: 1, name: "Quokka notebook" })).toBeVisible();
  expect(await detail.evaluate(() => window.opener)).toBeNull();
  await expect(page).toHaveURL("/resources?tags=zoo&searchText=quokka+notebook");
});

test("a card has a cover of 200 px where there is something to show, which leaves its place when it cannot be loaded", async ({ page, watch }) => {
  watch.expects(/status of 404 .*\/cover/);
  await openAs(page, people.operator, "/add");
  await page.goto("/resources?tags=pictures&sort=name");
  await expect(cards(page)).toHaveCount(3);
  const drawn = (name: string) => card(page, name).locator("img");
  await expect(drawn(pictured.none)).toHaveCount(0);
  for (const name of [pictured.refused, pictured.shown]) {
    await drawn(name).scrollIntoViewIfNeeded();
    await expect.poll(() => drawn(name).evaluate((element: HTMLImageElement) => element.complete && element.naturalWidth > 0)).toBe(true);
    expect((await drawn(name).boundingBox())?.height).toBe(200);
  }
  const whole = await card(page, pictured.refused).boundingBox();

  await page.route("**/cover?*", (route) => route.fulfill({ status: 404 }));
  await page.goto("/resources?tags=pictures&sort=newest");
  await card(page, pictured.refused).scrollIntoViewIfNeeded();
  await expect(drawn(pictured.refused)).toBeHidden();
  expect((await card(page, pictured.refused).boundingBox())?.height).toBe(whole?.height);
});

test("a compact list without covers is one click away, and remembered @all", async ({ page }) => {
  await page.goto("/resources?tags=zoo");
  const compact = page.getByRole("button", { name: "Compact list" });
  await expect(page.getByRole("article").locator("img").first()).toBeAttached();
  await compact.click();
  await expect(compact).toHaveAttribute("aria-pressed", "true");
  await expect(page.getByRole("article").locator("img")).toHaveCount(0);
  const lines = (page.viewportSize()?.width ?? 0) < 1024 ? 2 : 1;
  expect((await cards(page).first().boundingBox())?.height).toBeLessThanOrEqual(lines === 1 ? 60 : 84);
  await page.reload();
  await expect(cards(page)).toHaveCount(6);
  await expect(compact).toHaveAttribute("aria-pressed", "true");
  await expect(page.getByRole("article").locator("img")).toHaveCount(0);
  await compact.click();
  await expect(page.getByRole("article").locator("img").first()).toBeAttached();
});

test("a private entry has a crossed eye with a name @all", async ({ page }) => {
  await openAs(page, people.researcher, "/add");
  await page.goto("/resources?tags=zoo");
  await expect(card(page, hidden.name).getByText("Private", { exact: true })).toBeAttached();
  await expect(card(page, hidden.name).getByTitle("Private")).toBeVisible();
  await expect(card(page, "Quokka").getByText("Private", { exact: true })).toHaveCount(0);
});

test("a hundred cards with stars are one request @all", async ({ page }) => {
  await openAs(page, people.colleague, "/add");
  const calls = collectCalls(page);
  await page.goto(`/resources?tags=${series.tag}`);
  await expectTotal(page, series.count);
  await expect(cards(page)).toHaveCount(100);
  const about = () => calls.map(({ pathname }) => pathname).filter((path) => path.includes("/resources"));
  await expect.poll(about).not.toEqual([]);
  await page.waitForLoadState("networkidle");
  expect(about()).toEqual(["/api/v1/rf/resources/public"]);
});
