import { expect, test } from "../support/test";

test.use({ javaScriptEnabled: false });

test("without scripts the first screen says what is missing", async ({ page }) => {
  await page.goto("/");
  const line = page.locator("main noscript p");
  await expect(line).toContainText("Turn on JavaScript");
  await expect(line).toBeInViewport({ ratio: 1 });
  await expect(line.locator("a")).toHaveAttribute("href", "/api/docs");
});

test("without scripts the catalog is searched and read", async ({ page }) => {
  await page.goto("/");
  await page.getByRole("searchbox").fill("neuron");
  await page.getByRole("searchbox").press("Enter");
  await expect(page).toHaveURL(/\/resources\?searchText=neuron$/);
  await expect(page.getByRole("searchbox", { name: "Search the catalog" })).toHaveValue("neuron");
  const cards = page.getByRole("article");
  await expect(page.getByRole("heading", { level: 2, name: /^\d+ results$/ })).toBeVisible();
  await expect(cards.first()).toContainText("neuro");
  await expect(cards.first().getByRole("link")).toHaveAttribute("href", /^\/resources\/\w+\/[\w-]+$/);
  await page.goto("/resources/notebooks");
  await expect(page.getByRole("heading", { level: 1, name: "Notebooks" })).toBeVisible();
  await expect(cards).not.toHaveCount(0);
});
