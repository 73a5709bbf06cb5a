import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect, type Locator, type Page } from "@playwright/test";
import { callAs } from "./support/calls";
import { expectIdle, runAll, runCell, save } from "./support/jupyter";
import { chooseAccount, people } from "./support/people";
import { CairnServer } from "./support/server";
import { deleteAllSessions, newTab } from "./support/sessions";
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

/** In bytes, of each of the landing page's pictures. */
const landingPictureLimit = 40_000;

/** What newcomers are shown of the product is the demo as they will find it: found, running, proven, and brought back. */
test("pictures of the demo @desktop", async ({ browser }, { project }) => {
  if (project.name !== "desktop") return; // one set for both widths
  test.setTimeout(900_000);
  const page = await (await browser.newContext({ reducedMotion: "reduce", locale: "en-US", timezoneId: "UTC" })).newPage();
  await mkdir(shownOnLanding, { recursive: true });
  const encoder = await browser.newPage();
  const cairn = await CairnServer.start();
  const take = async (from: Page, file: string, folder: string, largest: number, top?: Locator) => {
    await steady(from);
    await top?.evaluate((part) => part.scrollIntoView({ block: "start" }));
    await from.waitForLoadState("networkidle");
    const small = await encoded(encoder, await from.screenshot({ scale: "css", animations: "disabled" }), folder === documented ? 960 : 800);
    expect(small.length, `bytes of ${file}`).toBeLessThanOrEqual(largest);
    await writeFile(`${folder}/${file}.webp`, small);
  };
  /** Takes a page for the landing page and, with more of it, for the documentation. */
  const show = async (from: Page, file: string, top?: Locator) => {
    for (const [height, folder, largest] of [[600, shownOnLanding, landingPictureLimit], [800, documented, 200_000]] as const) {
      await from.setViewportSize({ width: folder === documented ? 1280 : 960, height });
      await from.waitForLoadState("networkidle");
      await take(from, folder === documented ? `demo-${file}-1280` : file, folder, largest, top);
    }
  };
  try {
    await page.goto(`${cairn.url}/resources?resourceTypes=NOTEBOOK&tags=neuroscience`);
    await expect(main(page).getByRole("article").first()).toBeVisible();
    await show(page, "catalog");
    const found = await newTab(page, main(page).getByRole("article").filter({ hasText: "voltage pulse" }).getByRole("heading").getByRole("link"));
    await expect(found.getByRole("heading", { level: 1 })).toBeVisible();
    await show(found, "find", found.getByRole("navigation", { name: "Parts of this page" }));

    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(`${cairn.url}/resources?searchText=First%20steps&resourceTypes=REPOSITORY`);
    const link = await main(page).getByRole("article").getByRole("heading").getByRole("link").first().getAttribute("href");
    const jupyter = await page.context().newPage();
    await jupyter.setViewportSize({ width: 1280, height: 800 });
    await jupyter.goto(`${cairn.url}${link}`);
    await main(jupyter).getByRole("button", { name: "Run", exact: true }).click();
    await chooseAccount(jupyter, people.researcher); // the session starts in this tab, without another press
    await expect(jupyter).toHaveURL(/\.ipynb$/, { timeout: 180_000 });
    await expectIdle(jupyter);
    await runAll(jupyter);
    await save(jupyter);
    await show(jupyter, "run", jupyter.locator(".output_png").first());

    await page.goto(`${cairn.url}/sessions`);
    await page.getByRole("link", { name: /^Saved versions of/ }).click();
    await page.getByRole("button", { name: "Save a version now" }).click();
    await page.getByRole("textbox", { name: "Name" }).fill("Before the new threshold");
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    await page.getByRole("link", { name: /Before the new threshold/ }).click();
    await runCell(jupyter, 'print(len(find_spikes(time, voltage, threshold=-20)), "spikes above -20 mV")', "spikes above -20 mV");
    await save(jupyter);
    await page.getByRole("link", { name: "first-steps", exact: true }).click();
    await page.getByRole("link", { name: "first-steps.ipynb" }).click();
    const compared = page.getByText("Compared with the current file");
    await expect(compared).toBeVisible();
    await show(page, "keep", page.getByRole("heading", { level: 2 }).first());

    const id = new URL(link ?? "", cairn.url).pathname.split("/").at(-1);
    await callAs(page, "POST", `/resources/${id}/runs`, {});
    await expect
      .poll(async () => (await callAs<{ content: { state: string }[] }>(page, "GET", `/resources/public/${id}/runs`)).content[0]?.state, { timeout: 300_000 })
      .toBe("DONE");
    await page.goto(`${cairn.url}${link}#runs`);
    await expect(page.getByText("Executed notebook")).toBeVisible();
    await show(page, "prove", page.locator("#runs"));
    await page.goto(`${cairn.url}/sessions`);
    await deleteAllSessions(page);
  } finally {
    await encoder.close();
    await cairn.close();
  }
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
