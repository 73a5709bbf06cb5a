import type { Locator, Page } from "@playwright/test";
import { expectAccessible, expectNoSidewaysScroll } from "../support/accessible";
import { archiveToken } from "../support/archives";
import { callAs } from "../support/calls";
import { openAs, people } from "../support/people";
import { expect, test } from "../support/withArchives";

const table = "time,voltage\n0,-65\n1,-64\n";

/** Uploads a table, which becomes a dataset without a license, and returns the address of its page. */
async function addDataset(page: Page, name: string): Promise<string> {
  const main = page.getByRole("main");
  await openAs(page, people.researcher, "/add/upload");
  const chooser = page.waitForEvent("filechooser");
  await main.getByRole("button", { name: "Choose files" }).click();
  await (await chooser).setFiles({ name: "trace.csv", mimeType: "text/csv", buffer: Buffer.from(table) });
  await main.getByRole("button", { name: "Continue" }).click();
  await main.getByRole("textbox", { name: "Name", exact: true }).fill(name);
  await main.getByRole("button", { name: "Add dataset" }).click();
  await expect(page).toHaveURL(/\/resources\/datasets\/[0-9a-f-]{36}$/);
  return page.url();
}

async function expectLooksRight(page: Page): Promise<void> {
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
}

async function connect(page: Page): Promise<void> {
  const row = page.getByRole("listitem").filter({ has: page.getByRole("heading", { name: "Zenodo" }) });
  await row.getByRole("button", { name: "Use a personal token: Zenodo" }).click();
  await page.getByLabel("Personal token", { exact: true }).fill(archiveToken);
  await page.getByRole("button", { name: "Check the token" }).click();
  await expect(row.getByText("Make deposits, change drafts and publish them")).toBeVisible();
  await row.getByRole("button", { name: "Keep it: Zenodo", exact: true }).click();
  await expect(row.getByText(/^Connected/)).toBeVisible();
}

const begin = (place: Locator | Page) => place.getByRole("button", { name: "Deposit at Zenodo", exact: true });

test("an author deposits a dataset, publishes it and sees its DOI, and another try finds it there @phone", async ({ page, archives }) => {
  const main = page.getByRole("main");
  const dialog = page.getByRole("dialog");
  const part = main.getByRole("region", { name: "Deposits" });
  const entry = await addDataset(page, "Voltage of one cell");

  await test.step("without a connected account or a license, the dialog says what to do", async () => {
    await begin(part).click();
    await expect(dialog.getByRole("status")).toContainText("Your account isn't connected with Zenodo");
    await expectLooksRight(page);
    await dialog.getByRole("link", { name: "Connect your account" }).click();
    await connect(page);
    await page.goto(entry);
    await begin(part).click();
    await expect(dialog.getByRole("status")).toContainText("this entry names none");
    await dialog.getByRole("link", { name: "Edit the entry" }).click();
    await main.getByRole("combobox", { name: "License" }).or(main.getByRole("textbox", { name: "License" })).fill("CC-BY-4.0");
    await main.getByRole("button", { name: "Save" }).click();
    await expect(page).toHaveURL(entry);
  });

  // A page that is opened before, and doesn't know of the deposit.
  const late = await page.context().newPage();
  await late.goto(entry);
  await begin(late).click();

  await test.step("a draft is made, and found again after a reload", async () => {
    await begin(part).click();
    await expect(dialog).toContainText("Nothing is public until you publish the draft.");
    await dialog.getByRole("button", { name: "Make a draft" }).click();
    await expect(part.getByRole("status").filter({ hasText: "This is a draft." })).toBeVisible();
    await expectLooksRight(page);
    await page.reload();
    await expect(part.getByRole("heading", { name: /^Version \d+ at Zenodo$/ })).toBeVisible();
    const [draft] = await archives.deposits();
    expect(draft?.published).toBe(false);
    expect(draft?.files["trace.csv"]).toBe(table);
  });

  await test.step("publishing says what it means, and brings the DOI", async () => {
    await part.getByRole("button", { name: /^Publish: version/ }).click();
    await expect(dialog).toContainText("This can't be undone.");
    await expectLooksRight(page);
    await dialog.getByRole("button", { name: "Publish for good" }).click();
    await expect(part.getByRole("status").filter({ hasText: "Published. Zenodo keeps it for good." })).toBeVisible();
    const [record] = await archives.deposits();
    expect(record?.published).toBe(true);
    await expect(part.getByRole("link", { name: record?.doi ?? "" })).toHaveAttribute("href", `https://doi.org/${record?.doi}`);
    await expect(begin(part)).toBeHidden();
    await expect(main.getByRole("complementary", { name: "Facts" }).or(main.getByRole("complementary")).first()).toContainText(record?.doi ?? "");
    await expectLooksRight(page);
  });

  await test.step("another try finds it there", async () => {
    await late.getByRole("dialog").getByRole("button", { name: "Make a draft" }).click();
    await expect(late.getByRole("status").filter({ hasText: "Published. Zenodo keeps it for good." })).toBeVisible();
    expect(await archives.deposits()).toHaveLength(1);
    const id = entry.split("/").at(-1);
    const deposits = await callAs<{ state: string }[]>(page, "GET", `/resources/${id}/deposits`);
    expect(deposits.map(({ state }) => state)).toEqual(["PUBLISHED"]);
  });
});

test("an author discards a draft, and the entry stays as it is", async ({ page, archives }) => {
  const main = page.getByRole("main");
  const part = main.getByRole("region", { name: "Deposits" });
  const entry = await addDataset(page, "Current of one cell");
  const id = entry.split("/").at(-1);
  const { updatedAt } = await callAs<{ updatedAt: string }>(page, "GET", `/resources/public/${id}`);
  await callAs(page, "PATCH", `/resources/${id}`, { license: "CC0-1.0", updatedAt });
  await callAs(page, "POST", "/account/connections/zenodo", { token: archiveToken });
  await callAs(page, "PUT", "/account/connections/zenodo", { keep: true });
  const before = (await archives.deposits()).length;
  await page.reload();
  await begin(part).click();
  await page.getByRole("dialog").getByRole("button", { name: "Make a draft" }).click();
  await expect(part.getByRole("status").filter({ hasText: "This is a draft." })).toBeVisible();
  expect(await archives.deposits()).toHaveLength(before + 1);
  await part.getByRole("button", { name: /^Discard: version/ }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Discard" }).click();
  await expect(part.getByRole("list")).toBeHidden();
  await expect(part.getByRole("heading", { name: "Deposits" })).toBeFocused();
  await expect(begin(part)).toBeVisible();
  expect(await archives.deposits()).toHaveLength(before);
});
