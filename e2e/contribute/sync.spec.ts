import type { Page } from "@playwright/test";
import { expectAccessible, expectNoSidewaysScroll } from "../support/accessible";
import type { GitHub } from "../support/github";
import { openAs, people } from "../support/people";
import type { CairnServer } from "../support/server";
import { descriptor, expect, notice, test } from "./fixtures";

const me = people.researcher.email;
const before = {
  name: "Sorted before",
  description: "First line.\n\nSecond line.",
  authors: [me, "ada@example.org"],
  tags: ["old", "kept"],
  privacy: "PRIVATE",
};

/** Adds an entry for a repository with this descriptor; returns the address of its page. */
async function entry(cairn: CairnServer, github: GitHub, slug: string): Promise<string> {
  const repositoryUrl = `https://github.com/lab/${slug}`;
  await github.put({ name: `lab/${slug}`, files: { "cairn.yml": descriptor(before) } });
  const resource = { kind: "resource", externalId: slug, type: "REPOSITORY", ...before, name: `${before.name} ${slug}`, privacy: "PUBLIC", repositoryUrl };
  await cairn.import(resource);
  let id = "";
  await expect
    .poll(async () => {
      const answer = await fetch(`${cairn.url}/api/v1/rf/resources/public/search?type=REPOSITORY&name=${slug}`);
      // Until the entry is indexed, the search finds similar ones.
      const found = (await answer.json()) as { id: string; name: string }[];
      id = found.find(({ name }) => name === resource.name)?.id ?? "";
      return id;
    })
    .not.toBe("");
  return `/resources/repositories/${id}`;
}

async function openSync(page: Page) {
  await page.getByRole("button", { name: "Sync", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Sync with cairn.yml" });
  await expect(dialog).toBeVisible();
  return dialog;
}

test("an author sees what a sync changes, and saves it", async ({ page, cairn, github, isMobile }) => {
  const slug = isMobile ? "sync-phone" : "sync-desktop";
  const path = await entry(cairn, github, slug);
  await page.goto(path);
  await expect(page.getByRole("heading", { level: 2, name: "Files" })).toBeVisible();
  await expect(page.getByRole("button", { name: "Sync", exact: true }), "for authors only").toHaveCount(0);

  await openAs(page, people.researcher, `${path}?from=tags%3Dold`);
  await github.put({
    name: `lab/${slug}`,
    files: {
      "cairn.yml": descriptor({
        name: "Sorted now",
        description: "First line.\n\nAnother line.",
        authors: [me, "bob@example.org"],
        tags: ["kept", "new <b>tag</b>"],
      }),
    },
  });

  const dialog = await openSync(page);
  await test.step("the difference, field by field", async () => {
    const gone = dialog.locator("del");
    const come = dialog.locator("ins");
    await expect(gone).toHaveText([`Removed: ${before.name} ${slug}`, "Removed: Second line.", "Removed: ada@example.org", "Removed: old"]);
    await expect(come).toHaveText(["Added: Sorted now", "Added: Another line.", "Added: bob@example.org", "Added: new <b>tag</b>"]);
    await expect(dialog.getByText("This makes the entry public.")).toBeVisible();
    await expect(dialog.getByText("You will no longer be an author.")).toHaveCount(0);
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
  });

  await test.step("Escape leaves everything as it is", async () => {
    await page.keyboard.press("Escape");
    await expect(dialog).toHaveCount(0);
    await expect(page.getByRole("heading", { level: 1, name: `${before.name} ${slug}` })).toBeVisible();
  });

  await test.step("Save closes the dialog and shows the page with what changed", async () => {
    await openSync(page);
    const state = () => page.evaluate(() => JSON.stringify(history.state));
    const earlier = await state();
    const save = dialog.getByRole("button", { name: "Save" });
    await expect(save).toBeEnabled(); // unlike a click, pressing a key doesn't wait for that
    await save.press("Enter");
    await expect(notice(page, "Resource synced successfully")).toBeVisible();
    await expect(dialog).toHaveCount(0);
    await expect(page).toHaveURL(`${path}?from=tags%3Dold`);
    await expect(page.getByRole("heading", { level: 1, name: "Sorted now" })).toBeVisible();
    await expect(page.getByRole("main").getByText("Another line.")).toBeVisible();
    const fresh = await state();
    expect(fresh, "a fresh random state").not.toBe(earlier);
    await openSync(page);
    await expect(dialog.getByText("The entry already matches cairn.yml.")).toBeVisible();
    await expect(dialog.getByRole("button", { name: "Save" })).toHaveCount(0);
    await dialog.getByRole("button", { name: "Close" }).last().click();
    await expect(dialog).toHaveCount(0);
    expect(await state()).toBe(fresh);
  });
});

test("a sync that fails says why and goes on @all", async ({ page, cairn, github, watch, isMobile }) => {
  watch.expects(/status of 4\d\d/);
  const slug = isMobile ? "fail-phone" : "fail-desktop";
  const path = await entry(cairn, github, slug);
  await openAs(page, people.researcher, path);

  await test.step("faults of the descriptor, then mended", async () => {
    await github.put({ name: `lab/${slug}`, files: { "cairn.yml": descriptor({ ...before, authors: ["Ada@"], privacy: "open" }) } });
    const dialog = await openSync(page);
    await expect(dialog.getByRole("listitem")).toHaveText([/"Ada@" isn't an e-mail address/, /"open" is neither PUBLIC nor PRIVATE/]);
    await expect(dialog.getByRole("button", { name: "Save" })).toBeDisabled();
    await expect(dialog.getByRole("button", { name: "Save" })).toBeInViewport({ ratio: 1 }); // below errors that fill a phone's screen
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
    await github.put({ name: `lab/${slug}`, files: { "cairn.yml": descriptor({ ...before, authors: ["ada@example.org"] }) } });
    await dialog.getByRole("button", { name: "Pull again" }).click();
    await expect(dialog.getByText("You will no longer be an author.")).toBeVisible();

    await github.put({ name: `lab/${slug}`, files: { "cairn.yml": descriptor({ ...before, name: "Changed meanwhile" }) } });
    await dialog.getByRole("button", { name: "Save" }).click();
    await expect(notice(page, "Error")).toBeVisible();
    await expect(notice(page, "Failed to sync resource. The descriptor changed. Pull it again.")).toBeVisible();
    await expect(dialog.getByText("The descriptor changed. Pull it again.")).toBeVisible();
    await dialog.getByRole("button", { name: "Pull again" }).click();
    await expect(dialog.getByText("Added: Changed meanwhile")).toBeVisible();
    await dialog.getByRole("button", { name: "Save" }).click();
    await expect(page.getByRole("heading", { level: 1, name: "Changed meanwhile" })).toBeVisible();
  });

  await test.step("no descriptor any more", async () => {
    await github.put({ name: `lab/${slug}`, files: { "README.md": "" } });
    const dialog = await openSync(page);
    await expect(dialog.getByText("Failed to fetch cairn.yml. Please check the URL.", { exact: true })).toBeVisible();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await expect(dialog).toHaveCount(0);
  });
});
