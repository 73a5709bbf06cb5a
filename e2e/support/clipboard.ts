import { expect, type Locator, type Page } from "@playwright/test";

/** Clicks a button that copies, and returns what it copied once it says that it has. */
export async function copied(page: Page, button: Locator): Promise<string> {
  await button.click();
  await expect(button).toHaveText("Copied");
  return page.evaluate(() => navigator.clipboard.readText());
}
