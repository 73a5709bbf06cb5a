import type { Page } from "@playwright/test";
import { expectAccessible, expectNoSidewaysScroll } from "../support/accessible";
import { collectCalls } from "../support/catalog";
import { heron } from "./entries";
import { expect, open, pathTo, test, unfoldFacts } from "./fixtures";

const nowhere = "01900000-0000-7000-8000-000000000000";
const entryCalls = "**/api/v1/rf/resources/public/*";

test("what is not there is said with its id, and nothing is asked for what can be no id @all", async ({ page, watch }) => {
  watch.expects(/status of 404/);
  await page.goto(`/resources/datasets/${nowhere}?from=tags%3Dheron`);
  await expect(page.getByRole("heading", { level: 1, name: /^This entry doesn't exist/ })).toBeVisible();
  const notice = page.getByRole("alert").filter({ hasText: "Resource not found" });
  await expect(notice).toContainText(nowhere);
  await expect(page).toHaveTitle("Resource not found · Cairn");
  await expect(page.getByRole("link", { name: "Back", exact: true })).toHaveAttribute("href", "/resources?tags=heron");
  await expect(page.getByRole("link", { name: "Browse the catalog" })).toBeVisible();
  await expectAccessible(page);
  const calls = collectCalls(page);
  // Including names of API calls.
  for (const id of ["search", "tags", "x", nowhere.replace("01", "0G"), "%3Cscript%3E", "..%2Fprojects", "%00"]) {
    await page.goto(`/resources/datasets/${id}`);
    await expect(page.getByRole("heading", { level: 1, name: /^This entry doesn't exist/ })).toBeVisible();
    await expect(notice).toBeVisible();
  }
  expect(calls.map(String)).toEqual([]);
});

test("a failure is another page, with its reason and a retry @all", async ({ page, cairn, watch }) => {
  watch.expects(/status of 422/);
  const message = "The database cannot be reached. Try again in a while.";
  await page.route(entryCalls, (route) =>
    route.fulfill({ status: 422, contentType: "application/problem+json", body: JSON.stringify({ message }) }),
  );
  const path = await pathTo(cairn, heron.model);
  // Without the document's data.
  await page.route("**/resources/models/*", async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, body: (await answer.text()).replace(/<script type="application\/json" id="first-data">.*?<\/script>/s, "") });
  });
  await page.goto(path);
  const state = page.getByRole("main").getByRole("alert");
  await expect(state).toContainText("The entry couldn't be loaded.");
  await expect(state).toContainText(message);
  await expect(page.getByText("Resource not found")).toHaveCount(0);
  await expect(page.getByRole("link", { name: "Back", exact: true })).toBeVisible();
  await expectAccessible(page);
  await page.unroute(entryCalls);
  await state.getByRole("button", { name: "Retry" }).click();
  await expect(page.getByRole("heading", { level: 1, name: heron.model, exact: true })).toBeVisible();
});

/** Expects nothing to be wider than the window and no text to be covered by another element. */
async function expectFits(page: Page): Promise<void> {
  await expectNoSidewaysScroll(page);
  const cut = await page.getByRole("main").evaluate((main) =>
    [...main.querySelectorAll<HTMLElement>("h1, p, a, button, dd, li, pre")]
      .filter((each) => each.getClientRects().length > 0 && each.getBoundingClientRect().right > document.documentElement.clientWidth)
      .map((each) => each.outerHTML.slice(0, 100)),
  );
  expect(cut).toEqual([]);
}

test("extreme entries fit every window @phone @all", async ({ page, cairn }, { project }) => {
  const widths = project.name === "phone" ? [390, 320] : [1280, 1024, 768];
  for (const name of [heron.heavy, heron.reversed, heron.long]) {
    await open(page, await pathTo(cairn, name), name);
    for (const width of widths) {
      await page.setViewportSize({ width, height: 800 });
      await unfoldFacts(page);
      await expectFits(page);
    }
    await expectAccessible(page);
  }
  const maintainers = page.getByRole("definition").filter({ hasText: /people$/ });
  for (const [noun, items, begin, total] of [
    ["tags", page.getByRole("list", { name: "Tags" }).getByRole("listitem"), 12, 30],
    ["people", maintainers.getByRole("link"), 8, 100],
  ] as const) {
    await expect(items).toHaveCount(begin);
    await page.getByRole("button", { name: `All ${total} ${noun}` }).click();
    await expect(items).toHaveCount(total);
    await expectFits(page);
    await page.getByRole("button", { name: `Fewer ${noun}` }).click();
    await expect(items).toHaveCount(begin);
  }
  await page.getByRole("button", { name: "Cite" }).click();
  await expect(page.getByRole("dialog").getByRole("button", { name: "Copy citation as BibTeX" })).toBeVisible();
  await expectFits(page);
});

test("the facts are beside the text, or folded above it @phone @all", async ({ page, cairn }, { project }) => {
  await open(page, await pathTo(cairn, heron.repository), heron.repository);
  const facts = page.getByRole("complementary", { name: "Facts" });
  const about = page.getByRole("region", { name: "About" });
  const [factsBox, aboutBox] = [await facts.boundingBox(), await about.boundingBox()];
  if (project.name === "desktop") {
    await expect(facts.getByText("Privacy")).toBeVisible();
    expect(factsBox?.x).toBeGreaterThan((aboutBox?.x ?? 0) + (aboutBox?.width ?? 0));
    // Except for the space around its buttons' focus rings.
    await expect.poll(async () => ((await about.locator("xpath=..").boundingBox())?.y ?? 0) - ((await facts.boundingBox())?.y ?? 0)).toBe(4);
    return;
  }
  expect(factsBox?.y).toBeLessThan(aboutBox?.y ?? 0);
  const summary = facts.getByText("Facts2 authors, updated");
  await expect(summary).toBeVisible();
  await expect(facts.getByText("Privacy")).toBeHidden();
  await page.getByRole("navigation", { name: "Parts of this page" }).getByRole("link").last().focus();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await expect(facts.getByText("Privacy")).toBeVisible();
});
