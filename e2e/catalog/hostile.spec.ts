import { cards, expectTotal, openTags, searchBox, tagBox } from "../support/catalog";
import { expectHarmless, refuseDialogs } from "../support/harmless";
import { openAs, people } from "../support/people";
import { hostileAuthorName, hostileNames, hostileTags } from "./entries";
import { expect, test } from "./fixtures";

/*
 * CVE-2018-19351, CVE-2024-6886, CVE-2024-41675 and the like: text from entries and addresses ran as script. `watch`
 * also fails these tests when the content security policy had to block an attempt.
 */

test.beforeEach(({ page }) => refuseDialogs(page));

test("names, descriptions, tags and authors show as the text they are", async ({ page }) => {
  await page.goto("/resources?tags=hostile");
  await expectTotal(page, hostileNames.length);
  for (const name of hostileNames) {
    const one = cards(page).filter({ has: page.getByRole("link", { name, exact: true }) });
    await expect(one).toHaveCount(1);
    await expect(one).toContainText(`hostile ${name.replace(/__|[`#*>]/g, "")}`);
    await expect(one).toContainText(hostileAuthorName);
    for (const tag of hostileTags) await expect(one.getByRole("listitem").filter({ hasText: tag })).toHaveCount(1);
    await expect(one.getByRole("button", { name: `Star ${name}` })).toBeVisible();
  }
  await expectHarmless(page);
  await openTags(page);
  for (const tag of hostileTags) await expect(tagBox(page, tag)).toBeVisible();
  await expectHarmless(page);
});

test("the lists of a type and of stars show it as text too", async ({ page }) => {
  await openAs(page, people.newcomer, "/resources/starred");
  for (const path of ["notebooks", "repositories", "datasets", "models"]) {
    await page.goto(`/resources/${path}?searchText=hostile`);
    await expect(cards(page).first()).toContainText(hostileAuthorName);
    await expectHarmless(page);
  }
  const [name = ""] = hostileNames;
  await page.goto("/resources/notebooks?searchText=hostile");
  const heading = page.getByRole("heading", { name });
  await cards(page).filter({ has: heading }).getByRole("button", { name: `Star ${name}` }).click();
  await expect(page.getByRole("region", { name: "Notifications" }).getByText("Starred")).toBeVisible();
  await page.goto("/resources/starred");
  await expect(heading).toBeVisible();
  await expectHarmless(page);
  await cards(page).getByRole("button", { name: `Unstar ${name}` }).click();
  await expect(heading).toHaveCount(0);
});

test("what an address says shows as text @all", async ({ page, watch }) => {
  watch.expects(/status of 422/); // texts have no NUL
  for (const text of [...hostileNames, ...hostileTags, "\u0007", "%", "%25%", "\\", "a".repeat(900)]) {
    const query = new URLSearchParams({ searchText: `"zzz" ${text}`, tags: text, resourceTypes: "MODEL", sort: text, page: text });
    await page.goto(`/resources?${query}`);
    await expect(page.getByText("No resources found with the following criteria")).toBeVisible();
    await expect(searchBox(page)).toHaveValue(`"zzz" ${text}`);
    await expectHarmless(page);
  }
  await page.goto("/resources?searchText=a%00b&tags=%00");
  await expect(page.getByRole("main").getByRole("alert")).toContainText("must be text");
  await expectHarmless(page);
  await page.goto("/resources?searchText=%FF%C0%80&tags=%ED%A0%80,%E2%82&page=%00");
  await expect(page.getByText("No resources found with the following criteria")).toBeVisible();
  await expectHarmless(page);
});

test("a type that an address makes up shows as text in its notice", async ({ page }) => {
  const [name = ""] = hostileNames;
  await page.goto(`/resources?${new URLSearchParams({ resourceTypes: name })}`);
  await expect(page.getByRole("alert").filter({ hasText: "Invalid resource type" })).toContainText(name);
  await expectHarmless(page);
});
