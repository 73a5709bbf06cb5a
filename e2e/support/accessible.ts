import AxeBuilder from "@axe-core/playwright";
import { expect, type Page } from "@playwright/test";

/** WCAG 2.2 AA, and what axe calls good practice: landmarks, the order of headings. */
const rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/**
 * Returns axe's findings, by rule and elements. Frames that block scripts are left out, because axe would wait there
 * forever for its own.
 */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  // From the top: axe calls a link too small if the bar covers half of it. Scrolling also closes menus and tooltips.
  await page.evaluate(async () => {
    const open = document.querySelector("[popover=auto]:popover-open, [role=tooltip]:popover-open");
    if (!open) window.scrollTo({ top: 0, behavior: "instant" });
    // Elements that are still fading in lack contrast.
    const fading = document
      .getAnimations()
      .filter(({ playState, effect }) => playState === "running" && effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY);
    await Promise.allSettled(fading.map(({ finished }) => finished));
  });
  const { violations } = await new AxeBuilder({ page })
    .withTags(rules)
    .exclude("iframe[sandbox]")
    // In the page itself: there are no other frames to inspect, and a separate page for the result would double the time.
    .setLegacyMode()
    .analyze();
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
}

export async function expectAccessible(page: Page): Promise<void> {
  expect(await accessibilityFaults(page)).toEqual([]);
}

/** Fails when something makes the page wider than the window. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const excess = () => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  await expect.poll(excess, "how much wider the content is than the window").toBeLessThanOrEqual(0);
}
