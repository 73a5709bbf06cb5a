import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { accessibilityFaults, expectNoSidewaysScroll } from "../support/accessible";
import { scenes } from "../support/states/all";
import { begin, enter, type Scene } from "../support/states/state";
import { expect, test } from "../support/states/world";

// Colours halfway through a change are nobody's.
test.use({ contextOptions: { reducedMotion: "reduce" } });

/** The width at which everything still has to work: that of 1280 pixels at a zoom of 400 %. */
const narrowest = 320;

async function expectHeading({ route }: Scene, page: Page): Promise<void> {
  await expect(page.locator("h1:visible"), "headings of the first level").toHaveCount(1);
  if (route !== "/") await expect(page, "a title of its own").not.toHaveTitle(/^(Cairn)?$/);
}

async function expectReflow(page: Page): Promise<void> {
  const size = page.viewportSize();
  if (!size || size.width >= 1024) return;
  await page.setViewportSize({ ...size, width: narrowest });
  await expectNoSidewaysScroll(page);
  await page.setViewportSize(size);
}

for (const scene of scenes) {
  test(`${scene.name}: in every state usable by everybody, and nothing is wider than the window`, async ({
    page,
    cairn,
    github,
    watch,
  }, { project }) => {
    test.setTimeout(60_000 + 10_000 * scene.states.length);
    const stage = { page, cairn, github, watch };
    await begin(stage, scene);
    for (const state of scene.states.filter(({ only }) => only === undefined || only === project.name)) {
      await test.step(state.name, async () => {
        await enter(stage, state);
        await expectHeading(scene, page);
        await expectNoSidewaysScroll(page);
        expect.soft(await accessibilityFaults(page), state.name).toEqual([]);
        await expectReflow(page);
      });
    }
  });
}

test("every route has its states @desktop", async () => {
  const table = await readFile(new URL("../../web/src/app/routes.tsx", import.meta.url), "utf8");
  const routes = [...table.matchAll(/(?:path: |guarded\()"([^"]+)"/g)].map(([, path]) => path ?? "");
  expect(routes.length).toBeGreaterThan(20);
  const shown = new Set(scenes.map(({ route }) => route));
  // What lies below these is the page for addresses that lead nowhere, as "/*" is.
  const others = ["/sessions/*", "/add/*"];
  expect(routes.filter((route) => !shown.has(route) && !others.includes(route))).toEqual([]);
});
