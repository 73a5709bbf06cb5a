import { expect, type Page } from "@playwright/test";
import { accessibilityFaults, expectNoSidewaysScroll } from "../accessible";
import { begin, enter, type Scene, type Stage, type State } from "./state";

/** The width at which everything still has to work: 1280 pixels at 400% zoom. */
const narrowest = 320;

async function expectHeading({ route }: Scene, page: Page): Promise<void> {
  await expect(page.locator("h1:visible"), "headings of the first level").toHaveCount(1);
  if (route !== "/") await expect(page, "a title of its own").not.toHaveTitle(/^(Cairn)?$/);
}

/** Fails when something is wider than the narrowest window. */
export async function expectReflow(page: Page): Promise<void> {
  const size = page.viewportSize();
  if (!size) return;
  await page.setViewportSize({ ...size, width: narrowest });
  await expectNoSidewaysScroll(page);
  await page.setViewportSize(size);
}

function isPhone(page: Page): boolean {
  return (page.viewportSize()?.width ?? 0) < 1024;
}

/** Visits states of a scene and expects each to be accessible, with nothing wider than the window. */
export async function expectUsable(stage: Stage, scene: Scene, states: State[]): Promise<void> {
  await begin(stage, scene);
  for (const state of states) {
    await enter(stage, state);
    await expectHeading(scene, stage.page);
    await expectNoSidewaysScroll(stage.page);
    expect.soft(await accessibilityFaults(stage.page), state.name).toEqual([]);
    if (isPhone(stage.page)) await expectReflow(stage.page);
  }
}
