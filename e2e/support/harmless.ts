import { expect, type Page } from "@playwright/test";

/** Fails when text on the page ran as script, became an element or a link, or widened the page. */
export async function expectHarmless(page: Page): Promise<void> {
  expect(await page.evaluate(() => (window as unknown as { taken?: number }).taken)).toBeUndefined();
  expect(await page.locator('main :is(iframe, script, svg[onload], [onerror], [onmouseover], a[href^="javascript:"])').count()).toBe(0);
  expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0);
}

/** Fails as soon as a page's script opens a dialog. */
export function refuseDialogs(page: Page): void {
  page.on("dialog", (dialog) => {
    throw new Error(`a script opened "${dialog.message()}"`);
  });
}
