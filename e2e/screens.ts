import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect, type Locator, type Page } from "@playwright/test";
import { scenes } from "./support/states/all";
import { encoded, steady } from "./support/states/picture";
import { begin, enter, main, type Scene, type State } from "./support/states/state";
import { test } from "./support/states/world";

/*
 * Screenshots of every route in every state at both widths, with an index, for reviewing visual changes. Git ignores
 * their folder. The few that the documentation uses are in docs/screens, and are updated too, and so are
 * the landing page's pictures.
 */

const folder = fileURLToPath(new URL("results/screens", import.meta.url));
const documented = fileURLToPath(new URL("../docs/screens", import.meta.url));
const shownOnLanding = fileURLToPath(new URL("../web/src/features/landing/pictures", import.meta.url));
const widths = { phone: 390, desktop: 1280 } as const;

test.use({ contextOptions: { reducedMotion: "reduce" }, locale: "en-US", timezoneId: "UTC", trace: "off" });

function fileOf(scene: Scene, state: State, width: number): string {
  return `${`${scene.name} ${state.name}`.toLowerCase().replace(/[^a-z0-9]+/g, "-")}-${width}`;
}

for (const scene of scenes) {
  test(scene.name, async ({ page, cairn, github, watch, browser }, { project }) => {
    test.setTimeout(120_000 + 20_000 * scene.states.length);
    await mkdir(folder, { recursive: true });
    const encoder = await browser.newPage();
    const stage = { page, cairn, github, watch };
    await begin(stage, scene);
    for (const state of scene.states.filter(({ only }) => only === undefined || only === project.name)) {
      await enter(stage, state);
      await steady(page);
      const fullPage = (await page.locator("dialog:modal").count()) === 0;
      const picture = await page.screenshot({ fullPage, scale: "css", animations: "disabled" });
      const file = fileOf(scene, state, widths[project.name as keyof typeof widths]);
      const small = await encoded(encoder, picture);
      await writeFile(`${folder}/${file}.png`, picture);
      await writeFile(`${folder}/${file}.webp`, small);
      if (existsSync(`${documented}/${file}.webp`)) await writeFile(`${documented}/${file}.webp`, small);
    }
    await encoder.close();
  });
}

/**
 * What the landing page shows of the product. Each is 1.6 times as wide as high; `then` is the address to go
 * to from the state, and `from` the part that the picture begins with.
 */
const landingPictures: { file: string; scene: string; state: string; width: number; then?: (address: URL) => string; from?: (page: Page) => Locator }[] = [
  { file: "find", scene: "entry", state: "dataset", width: 960, from: (page) => main(page).getByRole("img", { name: /voltage|current/ }) },
  { file: "catalog", scene: "catalog", state: "loaded", width: 960, then: () => "/resources?resourceTypes=NOTEBOOK&tags=neuroscience", from: (page) => main(page).getByRole("article").first() },
  { file: "run", scene: "run", state: "repository", width: 720, then: ({ pathname }) => pathname },
  { file: "cite", scene: "entry", state: "cite", width: 720 },
];

/** In bytes, of each of the landing page's pictures. */
const landingPictureLimit = 40_000;

test("pictures of the landing page @desktop", async ({ page, cairn, github, watch, browser }, { project }) => {
  if (project.name !== "desktop") return; // one set for both widths
  test.setTimeout(300_000);
  await mkdir(shownOnLanding, { recursive: true });
  const encoder = await browser.newPage();
  const stage = { page, cairn, github, watch };
  for (const { file, scene, state, width, then, from } of landingPictures) {
    const found = scenes.find(({ name }) => name === scene)?.states.find(({ name }) => name === state);
    if (!found) throw new Error(`There is no state ${scene}, ${state}.`);
    await page.setViewportSize({ width, height: width / 1.6 });
    await enter(stage, found);
    if (then) {
      await page.goto(then(new URL(page.url())));
      await page.waitForLoadState("networkidle");
    }
    await steady(page);
    if (from) {
      await from(page).evaluate((part) => window.scrollTo(0, part.getBoundingClientRect().top + window.scrollY - 160));
      await page.waitForLoadState("networkidle");
    }
    const small = await encoded(encoder, await page.screenshot({ scale: "css", animations: "disabled" }));
    expect(small.length, `bytes of ${file}`).toBeLessThanOrEqual(landingPictureLimit);
    await writeFile(`${shownOnLanding}/${file}.webp`, small);
  }
  await encoder.close();
});

test("index @desktop", async () => {
  const lines = ["# Every page in every state", "", "Taken by `make screens`, 390 and 1280 pixels wide.", ""];
  for (const scene of scenes) {
    const { name, route, as, states } = scene;
    lines.push(`## ${name.charAt(0).toUpperCase()}${name.slice(1)}`, "");
    lines.push(`\`${route}\`${as ? `, signed in as ${as.email}` : ""}`, "", "| | 390 | 1280 |", "|---|---|---|");
    for (const state of states) {
      const cells = (["phone", "desktop"] as const).map((project) => {
        if (state.only !== undefined && state.only !== project) return "";
        const file = `${fileOf(scene, state, widths[project])}.webp`;
        return `<img src="${file}" width="${project === "phone" ? 200 : 560}" alt="${name}, ${state.name}, ${widths[project]} pixels wide">`;
      });
      lines.push(`| ${state.name} | ${cells.join(" | ")} |`);
    }
    lines.push("");
  }
  await mkdir(folder, { recursive: true });
  await writeFile(`${folder}/README.md`, lines.join("\n"));
});
