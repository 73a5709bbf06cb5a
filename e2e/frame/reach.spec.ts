import type { Page } from "@playwright/test";
import { expectNoSidewaysScroll } from "../support/accessible";
import { openAs, people } from "../support/people";
import { openDemoRepository } from "../support/sessions";
import { expect, test } from "../support/test";

/**
 * Returns targets smaller than 24 by 24 pixels whose 24-pixel circle around the center touches another target or its
 * circle. Links within text are exempt. (WCAG 2.2, 2.5.8.)
 */
const tooSmall = (page: Page) =>
  page.evaluate(() => {
    const side = 24;
    const reach = 0.5; // of a pixel, because positions aren't whole numbers
    type Box = { left: number; top: number; right: number; bottom: number };
    /** What can be clicked: a checkbox includes its label, and a card's link the whole card. */
    const boxOf = (element: Element): Box => {
      const covers = getComputedStyle(element, "::after").position === "absolute";
      const parts = covers
        ? [element.closest("article") ?? element]
        : [element, ...((element as HTMLInputElement).labels ?? [])];
      const boxes = parts.map((part) => part.getBoundingClientRect());
      return {
        left: Math.min(...boxes.map(({ left }) => left)),
        top: Math.min(...boxes.map(({ top }) => top)),
        right: Math.max(...boxes.map(({ right }) => right)),
        bottom: Math.max(...boxes.map(({ bottom }) => bottom)),
      };
    };
    const inText = (element: Element) =>
      getComputedStyle(element).display === "inline" &&
      [...(element.parentElement?.childNodes ?? [])].some(({ nodeType, data }: Node & { data?: string }) => {
        return nodeType === Node.TEXT_NODE && /\p{L}/u.test(data ?? "");
      });
    const targets = [...document.querySelectorAll("a[href], button, input, select, textarea, summary, [role=tab]")]
      .filter((element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
      .map((element) => ({ element, box: boxOf(element) }))
      .filter(({ box }) => box.right - box.left > 1);
    const small = ({ box }: { box: Box }) => box.right - box.left < side - reach || box.bottom - box.top < side - reach;
    const middle = ({ left, top, right, bottom }: Box) => ({ x: (left + right) / 2, y: (top + bottom) / 2 });
    const touches = (one: (typeof targets)[number], other: (typeof targets)[number]) => {
      const { x, y } = middle(one.box);
      if (small(other)) {
        const there = middle(other.box);
        return Math.hypot(x - there.x, y - there.y) < side - reach;
      }
      const { left, top, right, bottom } = other.box;
      const inside = x > left && x < right && y > top && y < bottom; // a control on top of a card that is a link
      const away = Math.hypot(Math.max(left - x, 0, x - right), Math.max(top - y, 0, y - bottom));
      return !inside && away < side / 2 - reach;
    };
    return targets
      .filter((target) => small(target) && !inText(target.element))
      .filter((target) => targets.some((other) => other !== target && touches(target, other)))
      .map(({ element }) => `${element.tagName} ${element.getAttribute("aria-label") ?? element.textContent}`);
  });

/** Returns text that is cut off without an ellipsis. */
const cut = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>("main *, header *, footer *")]
      .filter((element) => element.checkVisibility({ visibilityProperty: true }) && !element.closest(".visually-hidden"))
      .filter((element) => {
        const { overflowX, textOverflow } = getComputedStyle(element);
        return (
          /hidden|clip/.test(overflowX) && textOverflow !== "ellipsis" && element.scrollWidth > element.clientWidth + 1
        );
      })
      .map((element) => `${element.tagName}.${element.className}: ${element.textContent?.slice(0, 40)}`),
  );

const loaded: [name: string, open: (page: Page) => Promise<void>][] = [
  ["landing", (page) => show(page, "/")],
  ["catalog", (page) => show(page, "/resources")],
  ["events", (page) => show(page, "/events")],
  ["detail", openDemoRepository],
  ["sessions", (page) => show(page, "/sessions")],
  ["add", (page) => show(page, "/add")],
  ["add a project", (page) => show(page, "/add/project")],
  ["add a dataset", (page) => show(page, "/add/dataset")],
];

async function show(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await expect(page.getByRole("article", { includeHidden: true }).and(page.locator("[aria-hidden]"))).toHaveCount(0);
}

test("targets are large enough or far enough apart, and nothing is cut off in a narrow window or a large type @phone", async ({
  page,
}, { project }) => {
  await openAs(page, people.researcher, "/sessions");
  for (const [name, open] of loaded) {
    await test.step(name, async () => {
      await open(page);
      await expect(page.getByRole("heading", { level: 1 })).toHaveCount(1);
      expect.soft(await tooSmall(page), `${name}: small targets`).toEqual([]);
      if (project.name === "phone") await page.setViewportSize({ width: 320, height: 640 });
      else await page.evaluate(() => document.documentElement.style.setProperty("font-size", "200%"));
      await expectNoSidewaysScroll(page);
      expect.soft(await cut(page), `${name}: cut off`).toEqual([]);
      if (project.name === "phone") expect.soft(await tooSmall(page), `${name}: small targets at 320 px`).toEqual([]);
    });
  }
});
