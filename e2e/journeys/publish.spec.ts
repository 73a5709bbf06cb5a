import { expectAccessible, expectNoSidewaysScroll } from "../support/accessible";
import { openAs, people } from "../support/people";
import { deleteSession, newTab, openDemoRepository, sessionCard, writeBeside } from "../support/sessions";
import { expect, test } from "../support/test";

const file = "measured.csv";
const name = "Spikes, measured again";

test("a file of a session becomes a private entry that says where it came from, and then a public one with two versions", async ({ page, cairn, watch }) => {
  test.setTimeout(600_000);
  const main = page.getByRole("main");
  await openAs(page, people.colleague, "/add");
  await openDemoRepository(page);
  const notebook = await newTab(page, main.getByRole("button", { name: "Run", exact: true }));
  await expect(notebook).toHaveURL(/\.ipynb$/, { timeout: 180_000 });
  expect(await writeBeside(notebook, file, "time,voltage\n0,-65\n")).toBe(201);
  expect(await writeBeside(notebook, file, "time,voltage\n0,-65\n1,-64\n")).toBe(200);
  const inBar = notebook.getByRole("region", { name: "Session" }).getByRole("link", { name: "Publish", exact: true });
  await expect(inBar).toHaveAttribute("href", /\/sessions\/[^/]+\/publish$/);

  const choose = async () => {
    await page.goto("/sessions");
    const card = sessionCard(page, "First steps");
    await card.getByRole("link", { name: "Publish files of session First steps" }).click();
    const all = main.getByRole("checkbox", { name: /^All files/ });
    await all.check();
    await all.uncheck();
    await expect(main.getByText("No file is chosen")).toBeVisible();
    await main.getByRole("checkbox", { name: new RegExp(`^${file}`) }).check();
    await expect(main.getByText(/^1 file, /).last()).toBeVisible();
    await expectAccessible(page);
    await main.getByRole("button", { name: "Continue" }).click();
    await expect(main.getByRole("heading", { name: "What they become" })).toBeFocused();
  };

  await test.step("a new entry", async () => {
    await choose();
    await main.getByRole("radio", { name: "Dataset" }).check();
    const about = main.getByRole("region", { name: "About the new entry" });
    await expect(about.getByText(/^The new entry will say that it's derived from/)).toBeVisible();
    await about.getByRole("textbox", { name: "Name", exact: true }).fill(name);
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
    await about.getByRole("button", { name: "Publish", exact: true }).click();
    await expect(page).toHaveURL(/\/resources\/datasets\/[^/]+$/);
    await expect(page.getByRole("heading", { level: 1, name })).toBeVisible();
    await expect(main.getByText(/derived from/i).first()).toBeVisible();
    await expectAccessible(page);
  });

  await test.step("it is private until its author makes it public", async () => {
    await expect(main.getByRole("img", { name: "Private" })).toBeVisible();
    await main.getByRole("button", { name: "Make public" }).click();
    await expect(main.getByRole("button", { name: "Make public" })).toHaveCount(0);
    await expect(main.getByRole("img", { name: "Private" })).toHaveCount(0);
  });

  await test.step("a new version of it is public at once; what looks like a secret is asked about", async () => {
    watch.expects(/status of 409 /);
    expect(await writeBeside(notebook, file, "time,voltage\n0,-65\npassword = 'k8Zr2mQx9LwT4vYb7NcD'\n")).toBe(200);
    await choose();
    await main.getByRole("radio", { name: "A new version of one of your entries" }).check();
    await main.getByRole("radio", { name }).check();
    await expect(main.getByText(/everybody sees the new version at once/)).toBeVisible();
    await main.getByRole("textbox", { name: "What is new" }).fill("Measured once more");
    await expectAccessible(page);
    await main.getByRole("button", { name: "Publish the new version" }).click();
    const dialog = page.getByRole("dialog", { name: "Is there a secret in these files?" });
    await expect(dialog).toContainText(file);
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Publish all the same" }).click();
    await expect(main.getByText("Measured once more")).toBeVisible();
  });

  await notebook.close();
  await page.goto("/sessions");
  await deleteSession(page, cairn, "First steps");
});
