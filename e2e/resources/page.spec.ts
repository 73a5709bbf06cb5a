import type { Locator, Page } from "@playwright/test";
import { expectFilters, expectTotal, gate } from "../support/catalog";
import { chooseAccount, people } from "../support/people";
import { demoProject, newSessionDialog, openDemoRepository, startButton } from "../support/sessions";
import { heron } from "./entries";
import { expect, found, open, pathOf, pathTo, test, unfoldFacts } from "./fixtures";

/** Waits until the page has painted. */
async function framesLater(page: Page): Promise<void> {
  await page.evaluate(() => new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next))));
}

/** Holds back the answers with entries, and records layout shifts in the meantime. */
async function watchMoves(page: Page): Promise<{ hold: () => () => void; moves: () => Promise<string[]> }> {
  await page.addInitScript(() => {
    const moves: string[] = [];
    Object.assign(window, { moves });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as unknown as { value: number; hadRecentInput: boolean; sources: { node?: Element }[] }[]) {
        if (entry.hadRecentInput) continue;
        moves.push(`${entry.value.toFixed(4)} ${entry.sources.map(({ node }) => node?.nodeName).join(" ")}`);
      }
    }).observe({ type: "layout-shift", buffered: true });
  });
  let held = gate();
  await page.route(/\/api\/v1\/rf\/resources/, async (route) => {
    await held.opened;
    // Later requests are answered in later frames, one at a time. A page that was left has no frames.
    if (/\/public\/[^/?]+\//.test(route.request().url())) await framesLater(page).catch(() => {});
    await route.continue().catch(() => {});
  });
  // Without the document's data: the page requests everything.
  await page.route(/\/resources/, async (route) => {
    if (route.request().resourceType() !== "document") return route.fallback();
    const answer = await route.fetch();
    const text = await answer.text();
    return route.fulfill({ response: answer, body: text.replace(/<script type="application\/json" id="first-data">.*?<\/script>/s, "") });
  });
  return {
    hold: () => {
      held = gate();
      return held.open;
    },
    moves: () => page.evaluate(() => (window as unknown as { moves: string[] }).moves),
  };
}

test("nothing jumps when answers come late", async ({ page, cairn }) => {
  const [first] = await found(cairn, "?type=REPOSITORY&nameSearch=first+steps");
  if (first === undefined) throw new Error("there is no repository of the demo");
  const { hold, moves } = await watchMoves(page);
  const main = page.getByRole("main");
  for (const [path, there] of [
    ["/resources", main.getByRole("article").first()],
    ["/resources/datasets", main.getByRole("article").first()],
    [pathOf(first), page.getByRole("complementary", { name: "Facts" })],
    [await pathTo(cairn, heron.dataset), main.getByRole("heading", { name: "Files" })],
    [await pathTo(cairn, heron.notebook), main.locator("iframe")],
  ] as const) {
    const answer = hold();
    await page.goto(path, { waitUntil: "domcontentloaded" });
    await expect(main.getByRole("status").filter({ hasText: /^Loading/ }).first()).toBeAttached();
    answer();
    await expect(there).toBeVisible();
    await framesLater(page);
    const all = await moves();
    expect(all.reduce((sum, each) => sum + Number.parseFloat(each), 0), `${path}: ${all.join(", ")}`).toBeLessThan(0.02);
  }
});

/** Whether the left margin of an element's lowest pixels, where it has no text, is as plain as the page beside it. */
async function endsPlain(page: Page, element: Locator): Promise<boolean> {
  const box = await element.boundingBox();
  if (!box) throw new Error("it is not shown");
  const strip = (x: number) => page.screenshot({ clip: { x, y: box.y + box.height - 12, width: 2, height: 12 } });
  return (await strip(box.x + 1)).equals(await strip(box.x - 8));
}

test("the facts stay in sight beside a long page, whole however many they are @desktop @all", async ({ page, cairn }) => {
  await open(page, await pathTo(cairn, heron.long), heron.long);
  const facts = page.getByRole("complementary", { name: "Facts" });
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight / 2));
  await expect(facts.getByText("Privacy")).toBeInViewport();
  await facts.getByRole("button", { name: "All 100 people" }).click();
  expect(await endsPlain(page, facts), "a shade says that there are more").toBe(false);
  const last = facts.getByRole("link", { name: /@/ }).last();
  await last.scrollIntoViewIfNeeded();
  await expect(last).toBeInViewport();
  await facts.evaluate((element) => element.scrollTo(0, element.scrollHeight));
  expect(await endsPlain(page, facts), "the end has none").toBe(true);
  const box = await facts.boundingBox();
  expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(800);
});

test("an author leads to all their entries @all", async ({ page, cairn }) => {
  await open(page, await pathTo(cairn, heron.repository), heron.repository);
  await unfoldFacts(page);
  await page.getByRole("complementary").getByRole("link", { name: "lab@…" }).click();
  const types = "REPOSITORY,NOTEBOOK,DATASET,MODEL";
  await expectFilters(page, { resourceTypes: types, searchText: 'author:"lab"' });
  await expectTotal(page, 1);
});

test("a project's session is started through the login, and a file of the demo is opened by its name @all", async ({ page }) => {
  await openDemoRepository(page);
  const start = startButton(page, demoProject);
  await page.getByRole("heading", { name: "Files" }).scrollIntoViewIfNeeded();
  await page.getByRole("button", { name: "first_steps.py", exact: true }).click();
  const preview = page.getByRole("dialog", { name: "first_steps.py" });
  await expect(preview.getByRole("region", { name: "Text" })).toContainText("def read_table");
  await page.keyboard.press("Escape");
  await start.click();
  await chooseAccount(page, people.colleague);
  await expect(newSessionDialog(page)).toContainText(demoProject);
  await newSessionDialog(page).getByRole("button", { name: "Cancel" }).click();
  await start.click();
  await expect(newSessionDialog(page)).toHaveCount(1);
});
