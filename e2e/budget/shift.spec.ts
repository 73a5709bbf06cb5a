import type { Locator, Page, Route } from "@playwright/test";
import { gate } from "../support/catalog";
import { openAs, people } from "../support/people";
import { expect, test } from "../support/test";
import { catalog, entryPath } from "./routes";

/* Nothing jumps, neither when a page appears nor when answers arrive after its placeholders were shown. */

const budget = 0.02;
const api = /\/api\/v1\/rf\//;

/** Records unprompted layout shifts, and when placeholders were on the screen. */
async function watchShifts(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const seen = { moved: 0, what: [] as string[] };
    Object.assign(window, { seen });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as unknown as Shift[]) {
        if (entry.hadRecentInput) continue;
        seen.moved += entry.value;
        for (const { node } of entry.sources) seen.what.push(node?.parentElement?.outerHTML.slice(0, 80) ?? "?");
      }
    }).observe({ type: "layout-shift", buffered: true });
    interface Shift {
      value: number;
      hadRecentInput: boolean;
      sources: { node: Node | null }[];
    }
  });
}

/**
 * Opens a page whose script is held back until its document has painted, and whose answers until the script has painted
 * without them; returns how much shifted.
 */
async function movedOn(page: Page, path: string): Promise<{ moved: number; what: string[] }> {
  const holdBack = async (address: RegExp) => {
    const held = gate();
    const late = async (route: Route) => {
      await held.opened;
      await route.continue();
    };
    await page.route(address, late);
    return { release: held.open, end: () => page.unroute(address, late) };
  };
  const script = await holdBack(/\.js$/);
  const answers = await holdBack(api); // covers too
  await page.goto(path, { waitUntil: "commit" });
  await painted(page.getByRole("main"));
  script.release();
  await painted(page.getByRole("contentinfo"));
  answers.release();
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await page.waitForLoadState("networkidle");
  await Promise.all([script.end(), answers.end()]);
  return page.evaluate(() => (window as unknown as { seen: { moved: number; what: string[] } }).seen);
}

async function painted(part: Locator): Promise<void> {
  await expect(part).toBeVisible();
  await part.page().evaluate(() => new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next))));
}

async function expectStill(page: Page, paths: string[]): Promise<void> {
  for (const path of paths) {
    const { moved, what } = await movedOn(page, path);
    expect.soft(moved, `how much of ${path} moved by itself: ${what.join(", ")}`).toBeLessThan(budget);
  }
}

test("nothing jumps on the public pages, however late the answers are @all", async ({ page, cairn, watch }) => {
  test.slow();
  watch.expects(/status of 404 .*\/nowhere/);
  await watchShifts(page);
  await expectStill(page, [
    ...["/", catalog, "/resources?searchText=nothing+is+called+so", "/resources/notebooks", "/resources/models"],
    ...[await entryPath(cairn, "REPOSITORY"), await entryPath(cairn, "DATASET"), "/events", "/login", "/nowhere"],
  ]);
});

test("nothing jumps behind the login, however late the answers are @all", async ({ page, cairn }) => {
  test.slow();
  await openAs(page, people.researcher, "/add");
  await watchShifts(page);
  await expectStill(page, [
    ...["/resources", "/resources/starred", "/sessions", "/add", "/add/repo", "/add/project", "/add/dataset"],
    await entryPath(cairn, "REPOSITORY"),
  ]);
});

// If the page turns out shorter than its placeholders, the footer scrolls into view, which a busy machine counts as a shift.
test("the footer begins below the first window, also of a short page @all", async ({ page }) => {
  for (const path of ["/login", "/events"]) {
    await page.goto(path);
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    await expect(page.getByRole("contentinfo")).not.toBeInViewport();
  }
});
