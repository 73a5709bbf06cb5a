import { expect, type Locator, type Page, type Route } from "@playwright/test";
import type { Watch } from "./watch";

/*
 * Answers of the API that a test cannot have otherwise: those that stay away, fail, or say something rare. Calls are
 * named by their path below the API's.
 */

const base = "/api/v1/rf";

interface Watched {
  page: Page;
  watch: Watch;
}

export function calls(path: RegExp): (address: URL) => boolean {
  return ({ pathname }) => pathname.startsWith(base) && path.test(pathname.slice(base.length));
}

/** A refusal as the server words it; details are other members of the document, such as its code. */
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

/** Lets no answer come, as long as the page is there. */
export async function hold(page: Page, path: RegExp): Promise<void> {
  await page.route(calls(path), () => {});
}

/** Answers that the server is in trouble, or what else is said. */
export async function refuse(
  { page, watch }: Watched,
  path: RegExp,
  { status = 503, message = "The database cannot be reached.", headers = {} as Record<string, string>, details = {} } = {},
): Promise<void> {
  watch.expects(new RegExp(`status of ${status} `));
  await page.route(calls(path), (route) => problem(route, status, message, headers, details));
}

/** Ends calls without an answer, as a network that fails. */
export async function cutOff({ page, watch }: Watched, path: RegExp): Promise<void> {
  watch.expects(/net::ERR_FAILED/);
  await page.route(calls(path), (route) => route.abort());
}

/** Changes what the server answers to reading calls. */
export async function alter<T>(page: Page, path: RegExp, change: (answer: T) => unknown): Promise<void> {
  await page.route(calls(path), async (route) => {
    if (route.request().method() !== "GET") return route.fallback();
    // The whole answer, also when the page has it already.
    const { "if-none-match": _, ...headers } = route.request().headers();
    const response = await route.fetch({ headers });
    await route.fulfill({ response, json: change((await response.json()) as T) });
  });
}

/** Waits for what a page says after it tried again for a while; its clock, which the test has installed, runs ahead. */
export async function expectSoon(page: Page, seen: Locator): Promise<void> {
  await expect(async () => {
    await page.clock.fastForward(2_000);
    await expect(seen).toBeVisible({ timeout: 100 });
  }).toPass({ timeout: 15_000 });
}

/** Navigates as a link of the page does, without a new document and what that would bring. */
export async function moveTo(page: Page, address: string): Promise<void> {
  await page.evaluate((to) => {
    const state = { usr: null, key: "moved", idx: 1 };
    history.pushState(state, "", to);
    dispatchEvent(new PopStateEvent("popstate", { state }));
  }, address);
}
