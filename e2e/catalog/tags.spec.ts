import AxeBuilder from "@axe-core/playwright";
import { cards, closeTags, collectCalls, expectFilters, expectTotal, openTags, tagBox } from "../support/catalog";
import { rareTags, series } from "./entries";
import { expect, test, total } from "./fixtures";

test("tags of what matches have counts, and each that is chosen narrows it", async ({ page, cairn }) => {
  await page.goto("/resources?resourceTypes=DATASET");
  await openTags(page);
  const count = await total(cairn, `?type=DATASET&tag=${series.tag}`);
  const box = page.getByRole("checkbox", { name: `${series.tag} ${count}`, exact: true });
  await box.check();
  await expectFilters(page, { resourceTypes: "DATASET", tags: series.tag });
  await expect(box).toBeChecked();
  // Only tags of the current matches are left, with their counts.
  await expect(page.getByRole("checkbox", { name: `${rareTags[0]} 2`, exact: true })).toBeVisible();
  await tagBox(page, rareTags[0] ?? "").check();
  await closeTags(page);
  await expectTotal(page, 2);
  await expect(cards(page)).toHaveCount(2);
});

test("more tags are shown on demand, up to those that the counts name", async ({ page }) => {
  await page.goto(`/resources?tags=${series.tag}`);
  await openTags(page);
  const boxes = page.getByRole("list", { name: "Tags in these results" }).getByRole("checkbox");
  await expect(boxes).toHaveCount(13);
  await page.getByRole("button", { name: "Show more" }).click();
  await expect.poll(() => boxes.count()).toBeGreaterThan(45);
});

test("a search within tags reaches all tags of the catalog", async ({ page }) => {
  const calls = collectCalls(page);
  await page.goto("/resources?searchText=quokka");
  await expectTotal(page, 6);
  await openTags(page);
  const elsewhere = page.getByRole("list", { name: "Other tags" });
  await expect(elsewhere).toHaveCount(0);
  await page.getByRole("searchbox", { name: "Search within tags" }).fill("RARE");
  await expect(elsewhere.getByRole("button")).toHaveCount(12);
  await page.getByRole("button", { name: "Show more" }).click();
  await expect(elsewhere.getByRole("button")).toHaveCount(48);
  await page.getByRole("button", { name: "Show more" }).click();
  await expect(elsewhere.getByRole("button")).toHaveCount(rareTags.length);
  await page.getByRole("searchbox", { name: "Search within tags" }).fill("ETE");
  await expect(tagBox(page, "été")).toBeVisible();
  await page.getByRole("searchbox", { name: "Search within tags" }).fill("no such tag");
  await expect(page.getByText("No tags match")).toBeVisible();
  await page.getByRole("searchbox", { name: "Search within tags" }).fill("rare 07");
  // None of the results has it, so it leads to its own entries.
  await elsewhere.getByRole("button", { name: "rare 07 2 instead" }).click();
  await expectFilters(page, { resourceTypes: "REPOSITORY,NOTEBOOK,DATASET,MODEL", tags: "rare 07" });
  await expectTotal(page, 2);
  await expect(tagBox(page, "rare 07")).toBeChecked();
  expect(calls.filter(({ pathname }) => pathname.endsWith("/resources/public/tags/all"))).toHaveLength(1);
});

test("commas and backslashes in tags survive the address @all", async ({ page }) => {
  await page.goto("/resources?searchText=quokka&resourceTypes=NOTEBOOK");
  await openTags(page);
  await tagBox(page, "md, namd").check();
  await tagBox(page, "back\\slash").check();
  await closeTags(page);
  await expectFilters(page, { resourceTypes: "NOTEBOOK", tags: "md\\, namd,back\\\\slash", searchText: "quokka" });
  await expectTotal(page, 1);
  await page.reload();
  await expectTotal(page, 1);
  await openTags(page);
  await expect(tagBox(page, "md, namd")).toBeChecked();
  await expect(tagBox(page, "back\\slash")).toBeChecked();
});

test("a narrow window has the tags in a sheet, a wide one beside what matches @all", async ({ page }) => {
  await page.goto("/resources?tags=zoo");
  const rail = page.getByRole("region", { name: "Tags" });
  const opener = page.getByRole("button", { name: /^Tags/ });
  if ((page.viewportSize()?.width ?? 0) >= 1024) {
    await expect(opener).toBeHidden();
    const [left, right] = await Promise.all([rail.boundingBox(), page.getByRole("region", { name: "Results" }).boundingBox()]);
    expect((left?.x ?? 0) + (left?.width ?? 0)).toBeLessThanOrEqual(right?.x ?? 0);
    await page.setViewportSize({ width: 800, height: 800 });
  }
  await expect(rail).toBeHidden();
  await opener.click();
  const sheet = page.getByRole("dialog", { name: "Tags" });
  await expect(sheet).toBeInViewport();
  const fromBottom = () =>
    sheet.evaluate((element) => Math.abs(window.innerHeight - element.getBoundingClientRect().bottom));
  await expect.poll(fromBottom).toBeLessThanOrEqual(1); // after it has slid in
  // The keyboard of a phone would cover it.
  await expect(sheet.getByRole("searchbox")).not.toBeFocused();
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(violations.filter(({ impact }) => impact === "serious" || impact === "critical").map(({ id }) => id)).toEqual([]);
  await sheet.getByRole("checkbox", { name: /^Marsupials/ }).check();
  await expect(sheet.getByRole("button", { name: "Show 4 results" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(sheet).toHaveCount(0);
  await expectTotal(page, 4);
  await page.getByRole("button", { name: "Remove the tag zoo" }).click();
  await expectFilters(page, { tags: "Marsupials" });
});
