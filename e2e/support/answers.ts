import { expect, type Locator, type Page, type Route } from "@playwright/test";
import type { Watch } from "./watch";

/*
 * API answers that a test can't get otherwise: missing, failing or rare ones. Calls are named by their path below the
 * API's.
 */

const base = "/api/v1/rf";

interface Watched {
  page: Page;
  watch: Watch;
}

export function calls(path: RegExp): (address: URL) => boolean {
  return ({ pathname }) => pathname.startsWith(base) && path.test(pathname.slice(base.length));
}

/** A problem document like the server's; `details` are its other members, such as its code. */
export function problem(
  route: Route,
  status: number,
  message: string,
  headers: Record<string, string> = {},
  details: Record<string, unknown> = {},
): Promise<void> {
  const body = JSON.stringify({ status, message, detail: message, ...details });
  return route.fulfill({ status, contentType: "application/problem+json", body, headers });
}

/** Never answers while the page is open. */
export async function hold(page: Page, path: RegExp): Promise<void> {
  await page.route(calls(path), () => {});
}

/** Answers with a server error, or the given one. */
export async function refuse(
  { page, watch }: Watched,
  path: RegExp,
  { status = 503, message = "The database cannot be reached.", headers = {} as Record<string, string>, details = {} } = {},
): Promise<void> {
  watch.expects(new RegExp(`status of ${status} `));
  await page.route(calls(path), (route) => problem(route, status, message, headers, details));
}

/** Aborts calls, like a network failure. */
export async function cutOff({ page, watch }: Watched, path: RegExp): Promise<void> {
  watch.expects(/net::ERR_FAILED/);
  await page.route(calls(path), (route) => route.abort());
}

/** Changes the server's answers to GET requests. */
export async function alter<T>(page: Page, path: RegExp, change: (answer: T) => unknown): Promise<void> {
  await page.route(calls(path), async (route) => {
    if (route.request().method() !== "GET") return route.fallback();
    // The full answer instead of a 304.
    const { "if-none-match": _, ...headers } = route.request().headers();
    const response = await route.fetch({ headers });
    await route.fulfill({ response, json: change((await response.json()) as T) });
  });
}

/** Waits for what a page shows after its retries, by advancing the clock that the test installed. */
export async function expectSoon(page: Page, seen: Locator): Promise<void> {
  await expect(async () => {
    await page.clock.fastForward(2_000);
    await expect(seen).toBeVisible({ timeout: 100 });
  }).toPass({ timeout: 180_000 });
}

/** Navigates like a link of the page, without loading a new document and its data. */
export async function moveTo(page: Page, address: string): Promise<void> {
  await page.evaluate((to) => {
    const state = { usr: null, key: "moved", idx: 1 };
    history.pushState(state, "", to);
    dispatchEvent(new PopStateEvent("popstate", { state }));
  }, address);
}
