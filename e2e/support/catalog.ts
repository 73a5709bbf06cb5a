import { expect, type Locator, type Page } from "@playwright/test";

/** The cards of the page. */
export function cards(page: Page): Locator {
  return page.getByRole("main").getByRole("article");
}

export function card(page: Page, name: string): Locator {
  return cards(page).filter({ has: page.getByRole("link", { name, exact: true }) });
}

export function searchBox(page: Page): Locator {
  return page.getByRole("searchbox", { name: /^Search (the catalog|\w+)$/ });
}

/** Waits until the page shows this number of entries found. */
export async function expectTotal(page: Page, total: number): Promise<void> {
  const text = `${new Intl.NumberFormat("en").format(total)} ${total === 1 ? "result" : "results"}`;
  await expect(page.getByRole("status").filter({ hasText: /^[\d,]+ results?$/ })).toHaveText(text);
}

/** Waits until the address is the catalog's with exactly these filters. */
export async function expectFilters(page: Page, filters: Record<string, string>, path = "/resources"): Promise<void> {
  await expect(page).toHaveURL(({ pathname, searchParams }) => {
    const found = Object.fromEntries(searchParams);
    return pathname === path && JSON.stringify(found) === JSON.stringify(filters);
  });
}

/** Opens the tags, which are in a sheet in a narrow window. */
export async function openTags(page: Page): Promise<void> {
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  const opener = page.getByRole("button", { name: /^Tags( \d+)?$/ });
  if (!(await opener.isVisible())) return;
  await opener.click();
  await expect(page.getByRole("dialog", { name: "Tags" })).toBeVisible();
}

export async function closeTags(page: Page): Promise<void> {
  const sheet = page.getByRole("dialog", { name: "Tags" });
  if (!(await sheet.isVisible())) return;
  await sheet.getByRole("button", { name: /^Show .* results?$/ }).click();
  await expect(sheet).toHaveCount(0);
}

/** A tag's checkbox, by its value and optionally its count. */
export function tagBox(page: Page, value: string): Locator {
  const escaped = value.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return page.getByRole("checkbox", { name: new RegExp(`^${escaped}( ?\\d+)?$`) });
}

/** Matches the addresses of both lists' calls. */
export const listCalls = /\/api\/v1\/rf\/resources(\/public)?\?/;

/** Collects the API calls that the page makes from now on, without the pictures that it shows. */
export function collectCalls(page: Page): URL[] {
  const calls: URL[] = [];
  page.on("request", (request) => {
    const address = new URL(request.url());
    if (address.pathname.startsWith("/api/") && request.resourceType() !== "image") calls.push(address);
  });
  return calls;
}

/** A promise that a test resolves. */
export function gate(): { opened: Promise<void>; open: () => void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
