import { readFile } from "node:fs/promises";
import { scenes } from "../support/states/all";
import { expectReflow, expectUsable } from "../support/states/usable";
import { expect, test } from "../support/states/world";

/*
 * One state of each route. `make test-all` has one of each scene, and on a phone the states with different elements; sweep/
 * visits every state at both widths.
 */

// Colors in the middle of a transition don't count.
test.use({ contextOptions: { reducedMotion: "reduce" } });

for (const [index, scene] of scenes.entries()) {
  const tag = scenes.findIndex(({ route }) => route === scene.route) === index ? "" : " @all";
  test(`${scene.name} is usable by everybody @desktop${tag}`, async ({ page, cairn, github, watch }) => {
    await expectUsable({ page, cairn, github, watch }, scene, scene.states.slice(0, 1));
    await expectReflow(page);
  });
}

for (const scene of scenes) {
  const states = scene.states.filter(({ only, phone }) => only === "phone" || phone);
  if (states.length === 0) continue;
  test(`${scene.name} is usable by everybody on a phone @phone-only @all`, async ({ page, cairn, github, watch }) => {
    await expectUsable({ page, cairn, github, watch }, scene, states);
  });
}

test("every route has its states @desktop", async () => {
  const table = JSON.parse(await readFile(new URL("../../web/pages.json", import.meta.url), "utf8")) as { path: string }[];
  const routes = table.map(({ path }) => path);
  expect(routes.length).toBeGreaterThan(20);
  const shown = new Set(scenes.map(({ route }) => route));
  // Addresses below these show the "not found" page, as "/*" does.
  const others = ["/sessions/*", "/add/*"];
  expect(routes.filter((route) => !shown.has(route) && !others.includes(route))).toEqual([]);
});
