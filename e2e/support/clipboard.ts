import type { Locator, Page } from "@playwright/test";

/** Clicks a button that copies, and returns what it copied once it says that it has. */
export async function copied(page: Page, button: Locator): Promise<string> {
  // It says so for two seconds: what waits in the page can't miss them, however busy the machine is.
  const said = button.filter({ hasText: "Copied" }).waitFor();
  await Promise.all([button.click(), said]);
  return page.evaluate(() => navigator.clipboard.readText());
}
