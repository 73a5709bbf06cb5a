import type { Page } from "@playwright/test";
import { people, openAs } from "../support/people";
import { flood, hostile, hostileMarkdown } from "./entries";
import { expect, found, open, pathOf, test, unfoldFacts } from "./fixtures";

/*
 * CVE-2018-19351, CVE-2021-32862, CVE-2024-41675, GHSA-9q39-rmj3-p4r2 and their kin: names, descriptions and addresses of
 * entries ran as script, clobbered the page's own names, or loaded what tells who reads. An attempt that the policy
 * stopped, an error, and a request to another host fail these tests too: see `watch`.
 */

const words = [
  "iframe, object, embed, script, style, form, svg[onload], video, link, meta, base, math",
  'img:not([src^="/api/"]), [onerror], [onclick], [onload], [onfocus], [onmouseover], [name], [srcdoc], [style*="position"]',
  'a[href^="javascript:" i], a[href^="data:" i], a[href^="vbscript:" i], a[href^="file:" i], [id="root"], [id="config"]',
].join(", ");

async function expectHarmless(page: Page, name: string): Promise<void> {
  await expect(page).toHaveTitle(`${name} · Cairn`);
  expect(await page.locator(`main :is(${words})`).evaluateAll((all) => all.map((each) => each.outerHTML))).toEqual([]);
  expect(await page.evaluate(() => (window as unknown as { taken?: number }).taken)).toBeUndefined();
  expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0);
}

test.beforeEach(({ page }) => {
  page.on("dialog", (dialog) => {
    throw new Error(`a script opened "${dialog.message()}"`);
  });
});

test("hostile text in every field of every type is shown as the text it is", async ({ page, cairn, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  for (const one of await found(cairn, `?tag=${hostile.tag}`)) {
    const name = hostile.name(one.type);
    await open(page, pathOf(one), name);
    await unfoldFacts(page);
    await expect(page.getByRole("region", { name: "About" })).toContainText('"><img src=x onerror=window.taken=1>');
    await expect(page.getByRole("list", { name: "Tags" }).getByRole("link", { name: "<b onclick=window.taken=1>" })).toBeVisible();
    await expect(page.getByText("o'hara&amp{{7*7}}`@example.org")).toBeVisible();
    await expectHarmless(page, name);
    if (one.type === "MODEL") {
      await expect(page.getByRole("link", { name: /^Create / })).toHaveAttribute("href", /^https:\/\/airavata\.example\.org\/create\?app=javascript%3A/);
    }
    if (one.type === "REPOSITORY") {
      await page.getByRole("button", { name: "Copy clone command" }).click();
      const command = await page.evaluate(() => navigator.clipboard.readText());
      expect(command).toBe(`git clone '${hostile.command.replaceAll("'", "'\\''")}'`);
    }
    await page.getByRole("button", { name: "Cite" }).click();
    for (const format of ["BibTeX", "APA", "CSL-JSON"]) await page.getByRole("tab", { name: format }).click();
    await expectHarmless(page, name);
  }
});

test("no Markdown runs, loads or covers anything", async ({ page, cairn }, { project }) => {
  test.skip(project.name === "phone", "it is the same at every width");
  const all = await found(cairn, "?tag=hostile+text");
  for (const [index, text] of [...hostileMarkdown, flood].entries()) {
    const name = `Text ${index}`;
    const one = all.find((each) => each.name === name);
    if (one === undefined) throw new Error(`there is no ${name}`);
    await test.step(text.slice(0, 60), async () => {
      await open(page, pathOf(one), name);
      await expect(page.getByRole("region", { name: "About" })).not.toBeEmpty();
      await expectHarmless(page, name);
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
  await page.getByRole("button", { name: "Star 0" }).click();
  await page.getByRole("button", { name: "Unstar 1" }).click();
  await expect(page.getByRole("button", { name: "Star 0" })).toBeVisible();
  await expectHarmless(page, name);
});
