// Prints how long it takes in a browser from the landing page to a plot that was computed just now, in milliseconds, and
// writes the times in between to standard error: plot.mjs ADDRESS BROWSER PERSON ENTRY
import { createRequire } from "node:module";
import { argv, getuid } from "node:process";

const { chromium } = createRequire(new URL("../../e2e/package.json", import.meta.url))("playwright-core");
const [address, executablePath, person, entry] = argv.slice(2);

const browser = await chromium.launch({ executablePath, chromiumSandbox: getuid() !== 0 });
try {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${address}/login`);
  await page.getByRole("main").getByRole("button").first().click();
  await page.getByRole("button", { name: person }).click();
  await page.waitForURL((url) => url.href.startsWith(address) && !url.pathname.startsWith("/idp/") && url.pathname !== "/oauth_callback");
  await page.getByRole("heading", { level: 1 }).waitFor();

  const inNewTab = async (control) => {
    const [tab] = await Promise.all([context.waitForEvent("page"), control.click()]);
    return tab;
  };
  const began = performance.now();
  const note = (what) => console.error(`  ${what}: ${Math.round(performance.now() - began)} ms`);
  await page.goto(address);
  const shown = await inNewTab(page.getByRole("article").getByRole("link", { name: entry, exact: true }));
  note("the entry");
  const tab = await inNewTab(shown.getByRole("main").getByRole("button", { name: "Run", exact: true }));
  note("clicked on Run");
  await tab.waitForURL(/\/notebooks\//, { timeout: 120_000 });
  note("the notebook's page");
  await tab.locator("#kernel_indicator_icon.kernel_idle_icon").waitFor({ state: "attached", timeout: 120_000 });
  note("the kernel is idle");
  await tab.locator(".text_cell").first().click();
  await tab.keyboard.press("Control+a");
  await tab.keyboard.press("Control+Enter");
  const plot = tab.locator(".output_png img").first();
  await plot.waitFor({ state: "attached", timeout: 120_000 });
  await plot.evaluate((image) => image.decode());
  note("the plot");
  console.log(JSON.stringify({ milliseconds: performance.now() - began }));
} finally {
  await browser.close();
}
