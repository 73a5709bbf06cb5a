import { expect, type Locator, type Page } from "@playwright/test";

/** More than the number of tab stops on any page of these tests. */
const longestWay = 120;

/** Moves to a control with Tab; expects the focus to be visible all the way. */
export async function tabTo(page: Page, control: Locator, key: "Tab" | "Shift+Tab" = "Tab"): Promise<void> {
  await expect(control).toBeVisible();
  for (let steps = 0; steps < longestWay; steps += 1) {
    await page.keyboard.press(key);
    await expectFocusSeen(page);
    if (await hasFocus(control)) return;
  }
  throw new Error(`${longestWay} times ${key} do not lead to ${control}`);
}

/** Moves to a control with Tab and activates it. */
export async function use(page: Page, control: Locator, key: "Enter" | "Space" = "Enter"): Promise<void> {
  if (!(await hasFocus(control))) await tabTo(page, control);
  await page.keyboard.press(key);
}

function hasFocus(control: Locator): Promise<boolean> {
  return control.evaluate((element) => element === document.activeElement);
}

/** Fails when nothing has the focus: keyboard users would start again at the top of the page. */
export async function expectFocusKept(page: Page): Promise<void> {
  await expect.poll(() => page.evaluate(() => document.activeElement?.tagName ?? "nothing"), "what has the focus").not.toMatch(/BODY|nothing/);
}

/** Fails when nothing has the focus, or the focused element is out of view, covered, or has no focus style. */
export async function expectFocusSeen(page: Page): Promise<void> {
  const fault = () =>
    page.evaluate(() => {
      const element = document.activeElement;
      if (!element || element === document.body) return "nothing has the focus";
      if (element.tagName === "IFRAME") return "";
      const name = element.outerHTML.slice(0, 200);
      const { left, right, top, bottom } = element.getBoundingClientRect();
      const [x0, x1] = [Math.max(left, 0), Math.min(right, innerWidth)];
      const [y0, y1] = [Math.max(top, 0), Math.min(bottom, innerHeight)];
      if (x1 - x0 < 1 || y1 - y0 < 1) return `out of sight: ${name}`;
      // Checkboxes are drawn by the element around them.
      const drawn = element.closest("label") ?? element;
      const related = (found: Element | null) => found !== null && (drawn.contains(found) || found.contains(element) || found.matches("dialog"));
      const points = [0.5, 0.2, 0.8].flatMap((x) => [0.5, 0.15, 0.85].map((y) => [x0 + (x1 - x0) * x, y0 + (y1 - y0) * y] as const));
      if (!points.some(([x, y]) => related(document.elementFromPoint(x, y)))) return `covered: ${name}`;
      for (let each: Element | null = element, steps = 0; each && steps < 4; each = each.parentElement, steps += 1) {
        for (const part of [undefined, "::before", "::after"]) {
          const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(each, part);
          if ((outlineStyle !== "none" && Number.parseFloat(outlineWidth) > 0) || boxShadow !== "none") return "";
        }
      }
      return `looks as without the focus: ${name}`;
    });
  await expect.poll(fault, "the focus").toBe("");
}
