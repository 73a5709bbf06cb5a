import type { Locator, Page } from "@playwright/test";

/** Clicks a copy button, waits for its confirmation, and returns the copied text. */
export async function copied(page: Page, button: Locator): Promise<string> {
  // The confirmation lasts two seconds; a wait inside the page can't miss it, however busy the machine is.
  const said = button.filter({ hasText: "Copied" }).waitFor();
  await Promise.all([button.click(), said]);
  return page.evaluate(() => navigator.clipboard.readText());
}
