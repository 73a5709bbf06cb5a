import { gate } from "../support/catalog";
import { expect, test } from "../support/test";

test("what is typed before the script runs stays, with the focus, and is searched", async ({ page }) => {
  const scripts = gate();
  await page.route(/\/assets\/.*\.js$/, async (route) => {
    await scripts.opened;
    await route.continue();
  });
  await page.goto("/resources", { waitUntil: "commit" });
  const box = page.getByRole("searchbox", { name: "Search the catalog" });
  await box.click(); // which waits until it is drawn: a box that nobody sees yet doesn't get the first letter
  await box.pressSequentially("neur");
  scripts.open();
  await expect(page).toHaveURL(/searchText=neur/);
  await expect(box).toBeFocused();
  await box.press("End");
  await box.pressSequentially("on");
  await expect(page).toHaveURL(/searchText=neuron/);
});
