import { expect, test } from "../support/test";

test.use({ javaScriptEnabled: false });

test("without scripts the first screen says what is missing", async ({ page }) => {
  await page.goto("/");
  const line = page.locator("main noscript p");
  await expect(line).toContainText("Turn on JavaScript");
  await expect(line).toBeInViewport({ ratio: 1 });
  await expect(line.locator("a")).toHaveAttribute("href", "/api/docs");
});
