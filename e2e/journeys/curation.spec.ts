import { card } from "../support/catalog";
import { openAs, people } from "../support/people";
import { expect, test } from "../support/test";

test("an operator takes an entry off the landing page in two clicks, and brings it back", async ({ page, cairn }) => {
  await openAs(page, people.operator, "/");
  const name = await page.getByRole("main").getByRole("article").first().getByRole("heading").innerText();
  const link = await card(page, name).getByRole("link").getAttribute("href");
  const entry = `${cairn.url}/api/v1/rf/resources/public/${link?.split("/").at(-1)}`;

  await card(page, name).getByRole("button", { name: `Actions for ${name}` }).click();
  await page.getByRole("menuitem", { name: "Hide" }).click();
  await expect(card(page, name)).toHaveCount(0);
  expect((await page.request.get(entry)).status()).toBe(404);

  await page.goto("/operator/entries?state=hidden");
  const row = page.getByRole("main").getByRole("listitem").filter({ hasText: name });
  await expect(row).toContainText("Hidden: It doesn't belong in this catalog.");
  await row.getByRole("button", { name: `Bring back ${name}` }).click();
  await expect(page.getByText("No entries are hidden.")).toBeVisible();
  expect((await page.request.get(entry)).status()).toBe(200);
  await expect(page.getByRole("main")).toContainText(/a median of \d+(\.\d+)? of 26 points/);
});
