import type { Page } from "@playwright/test";
import { moveTo } from "../support/answers";
import { copied } from "../support/clipboard";
import { expectHarmless, refuseDialogs } from "../support/harmless";
import { openAs, people } from "../support/people";
import { flood, hostile, hostileMarkdown } from "./entries";
import { expect, found, open, pathOf, test, unfoldFacts } from "./fixtures";

/*
 * CVE-2018-19351, CVE-2021-32862, CVE-2024-41675, GHSA-9q39-rmj3-p4r2 and the like: names, descriptions and addresses of
 * entries ran as script, clobbered the page's variables, or loaded trackers. `watch` also fails these tests on blocked
 * attempts, errors and requests to other hosts.
 */

/** Elements that Markdown and plain text never need. */
const foreign = [
  "object, embed, style, form, video, link, meta, base, math :not(:is(semantics, semantics *)), math [href], [onclick], [onload], [onfocus], [name], [srcdoc], [style*='position']",
  'img:not([src^="/api/"]), a[href^="data:" i], a[href^="vbscript:" i], a[href^="file:" i], [id="root"], [id="config"]',
].join(", ");

async function expectText(page: Page, name: string): Promise<void> {
  await expect(page).toHaveTitle(`${name} · Cairn`);
  expect(await page.locator(`main :is(${foreign})`).evaluateAll((all) => all.map((each) => each.outerHTML))).toEqual([]);
  await expectHarmless(page);
}

test.beforeEach(({ page }) => refuseDialogs(page));

test("hostile text in every field of every type is shown as the text it is", async ({ page, cairn, context, watch }) => {
  watch.expects(/status of \d+ .*notebook/, /status of 503 .*\/files\?path=/); // nothing can be fetched from their addresses
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  for (const one of await found(cairn, `?tag=${hostile.tag}`)) {
    const name = hostile.name(one.type);
    await open(page, pathOf(one), name);
    await unfoldFacts(page);
    await expect(page.getByRole("region", { name: "About" })).toContainText('"><img src=x onerror=window.taken=1>');
    await expect(page.getByRole("list", { name: "Tags" }).getByRole("link", { name: "<b onclick=window.taken=1>" })).toBeVisible();
    await expect(page.getByText("o'hara&amp{{7*7}}`@…")).toBeVisible();
    await expectText(page, name);
    if (one.type === "MODEL") {
      await expect(page.getByRole("link", { name: /^Create / })).toHaveAttribute("href", /^https:\/\/airavata\.example\.org\/create\?app=javascript%3A/);
    }
    if (one.type === "REPOSITORY") {
      const command = await copied(page, page.getByRole("button", { name: "Copy clone command" }));
      expect(command).toBe(`git clone '${hostile.command.replaceAll("'", "'\\''")}'`);
    }
    await page.getByRole("button", { name: "Cite" }).click();
    for (const format of ["BibTeX", "APA", "CSL-JSON"]) await page.getByRole("tab", { name: format }).click();
    await expectText(page, name);
  }
});

test("no Markdown runs, loads or covers anything", { tag: "@desktop" }, async ({ page, cairn, watch }) => {
  watch.expects(/status of 404 .*\/picture\?address=/); // this server is asked for pictures, and finds none
  const all = await found(cairn, "?tag=hostile+text");
  for (const [index, text] of [...hostileMarkdown, flood].entries()) {
    const name = `Text ${index}`;
    const one = all.find((each) => each.name === name);
    if (one === undefined) throw new Error(`there is no ${name}`);
    await test.step(text.slice(0, 60), async () => {
      // Text that could break out of its element arrives in the document; the rest is fetched by the page.
      if (index === 0 || /["']|<!--|<\/(script|title)/i.test(text)) await page.goto(pathOf(one));
      else await moveTo(page, pathOf(one));
      await expect(page.getByRole("heading", { level: 1, name, exact: true })).toBeVisible();
      await expect(page.getByRole("region", { name: "About" })).not.toBeEmpty();
      await expectText(page, name);
      const links = await page.getByRole("region", { name: "About" }).getByRole("link").evaluateAll((each) => each.map((link) => (link as HTMLAnchorElement).protocol));
      for (const protocol of links) expect(protocol).toMatch(/^(https?|mailto):$/);
    });
  }
});

test("a signed-in reader keeps their token", async ({ page, cairn }) => {
  await openAs(page, people.newcomer, "/resources/starred");
  const [one] = await found(cairn, `?tag=${hostile.tag}&type=DATASET`);
  if (one === undefined) throw new Error("there is no hostile entry");
  const name = hostile.name("DATASET");
  await open(page, pathOf(one), name);
  await page.getByRole("button", { name: "Star", exact: true }).click();
  // Until then, the button ignores clicks.
  await expect(page.getByRole("region", { name: "Notifications" }).getByText("Starred")).toBeVisible();
  await page.getByRole("button", { name: "Unstar 1" }).click();
  await expect(page.getByRole("button", { name: "Star", exact: true })).toBeVisible();
  await expectText(page, name);
});
