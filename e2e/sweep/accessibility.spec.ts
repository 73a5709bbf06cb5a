import { scenes } from "../support/states/all";
import { expectUsable } from "../support/states/usable";
import { test } from "../support/states/world";

// Colors in the middle of a transition don't count.
test.use({ contextOptions: { reducedMotion: "reduce" } });

for (const scene of scenes) {
  test(`${scene.name}: every state is usable by everybody`, async ({ page, cairn, github, watch }, { project }) => {
    test.setTimeout(120_000 + 20_000 * scene.states.length);
    const states = scene.states.filter(({ only }) => only === undefined || only === project.name);
    await expectUsable({ page, cairn, github, watch }, scene, states);
  });
}
