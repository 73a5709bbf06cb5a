import type { Page } from "@playwright/test";
import { expectAccessible, expectNoSidewaysScroll } from "../support/accessible";
import { callAs } from "../support/calls";
import { cards } from "../support/catalog";
import { openAs, people } from "../support/people";
import { expect, idOf, notice, test } from "./world";

const field = (page: Page, name: string) => page.getByRole("textbox", { name, exact: true });
const tags = (page: Page) => page.getByRole("list", { name: "Added tags" }).getByRole("button");
const authors = (page: Page) => page.getByRole("list", { name: "Added authors" }).getByRole("listitem");

/** Unfolds a part of the form. */
const openPart = (page: Page, title: string) => page.getByRole("heading", { level: 2, name: title }).click();

async function addChip(page: Page, name: string, text: string): Promise<void> {
  await field(page, name).fill(text);
  await field(page, name).press("Enter");
}

test("/add offers what there is, and a dataset comes into the catalog", async ({ page, watch, isMobile }) => {
  watch.expects(/status of (422|403)/);
  const name = `Bursts of ${isMobile ? "a phone" : "a desktop"}`;
  await openAs(page, people.researcher, "/add");
  await expect(page.getByRole("main").getByRole("heading", { level: 2 })).toHaveText([
    ...["Upload files", "Add a repository", "Add a project", "Add a dataset", "Add data by DOI", "Add a notebook", "Add a model"],
  ]);
  await page.getByRole("link", { name: "Add a dataset" }).press("Enter");
  await expect(page).toHaveTitle(/^Add a dataset · /);

  await test.step("what is missing is said at its field", async () => {
    await page.getByRole("button", { name: "Add dataset" }).click();
    await expect(page.getByRole("alert")).toHaveText("Not saved. Check the highlighted fields.");
    await expect(field(page, "Web address of the data")).toBeFocused();
    await expect(field(page, "Name")).toHaveAccessibleDescription("Enter a name of 1 to 200 characters.");
    await expect(field(page, "Web address of the data")).toHaveAccessibleDescription(
      /Give an address that begins with https:\/\/, or a DOI\./,
    );
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
  });

  await test.step("what lies on the server is for operators", async () => {
    await field(page, "Name").fill(name);
    await field(page, "Web address of the data").fill("spikes/2024");
    await page.getByRole("button", { name: "Add dataset" }).click();
    await expect(field(page, "Web address of the data")).toHaveAccessibleDescription(
      /Only operators can add what's on this server/,
    );
    await expect(field(page, "Web address of the data")).toBeFocused();
    await field(page, "Web address of the data").fill("https://example.org/bursts.h5");
  });

  await test.step("tags are chips, with commas where one wants them", async () => {
    await addChip(page, "Tags", "md, namd");
    await addChip(page, "Tags", "wrong");
    await addChip(page, "Tags", "md, namd");
    await expect(tags(page)).toHaveText(["md, namd", "wrong"]);
    await page.getByRole("button", { name: "Remove the tag wrong" }).click();
    await expect(field(page, "Tags")).toBeFocused();
    await field(page, "Tags").fill("typed and left");
    await field(page, "Name").focus();
    await expect(tags(page)).toHaveText(["md, namd", "typed and left"]);
  });

  await test.step("the description is shown as it will look", async () => {
    await field(page, "Description").fill("Some **bold** words.\n\n<img src=x onerror=alert(1)>");
    await expect(page.getByRole("group").getByText("bold", { exact: true })).toHaveCSS("font-weight", /[67]\d\d/);
    await expect(page.getByRole("main").locator("img")).toHaveCount(0);
  });

  await test.step("whoever adds it stays among the authors", async () => {
    await openPart(page, "Credit");
    await addChip(page, "Authors", people.colleague.email);
    await expect(authors(page)).toHaveText([people.researcher.email, people.colleague.email]);
    await expect(page.getByRole("button", { name: `Remove the author ${people.researcher.email}` })).toHaveCount(0);
  });

  await page.getByRole("button", { name: "Add dataset" }).click();
  await expect(notice(page, "Success", "Dataset created successfully")).toBeVisible();
  await expect(page.getByRole("heading", { level: 1, name })).toBeVisible();
  await expect(page).toHaveURL(/\/resources\/datasets\/[0-9a-f-]{36}$/);
  await expect(page.getByRole("region", { name: "About" })).toContainText("Some bold words.");
  await page.goto(`/resources?${new URLSearchParams({ tags: "md\\, namd", searchText: name })}`);
  await expect(cards(page).getByRole("heading")).toHaveText([name]);

  await test.step("who begins to add it once more is shown that it is there", async () => {
    await page.goto("/add/dataset");
    await field(page, "Name").fill(`${name.toUpperCase()}!`);
    await field(page, "Name").press("Tab");
    await expect(page.getByRole("status").getByRole("link", { name })).toHaveAttribute("target", "_blank");
    await expectAccessible(page);
  });
});

test("a notebook and a model have the fields of their types @all", async ({ page, watch }) => {
  // The notebook doesn't exist, so it can't be shown.
  watch.expects(/status of 422/, /status of \d+ .*\/notebook\)/);
  await openAs(page, people.colleague, "/add/notebook");
  await field(page, "Name").fill("Bursts, step by step");
  await field(page, "Web address of the notebook").fill("https://github.com/cairn-e2e/Spikes/blob/main/bursts.ipynb");
  await page.getByRole("radio", { name: "Its authors only" }).check();
  await page.getByRole("button", { name: "Add notebook" }).click();
  await expect(notice(page, "Success", "Notebook created successfully")).toBeVisible();
  await expect(page.getByRole("img", { name: "Private" })).toBeVisible();

  await test.step("a notebook that lies in a repository of the catalog leads to a project with it", async () => {
    await page.getByRole("link", { name: "Use in a project" }).click();
    await expect(page).toHaveURL(`/add/project?repositoryId=${await idOf(page, "Spike sorting")}`);
    await expect(page.getByRole("region", { name: "Repository" }).getByRole("article")).toContainText("Spike sorting");
  });

  await page.goto("/add/model");
  await field(page, "Name").fill("Bursting neuron");
  await page.getByRole("button", { name: "Add model" }).click();
  await expect(field(page, "Application interface id")).toHaveAccessibleDescription(/Give the model's id/);
  await field(page, "Application interface id").fill("bursting_1");
  await openPart(page, "Credit");
  await field(page, "Version").fill("2.1");
  await page.getByRole("button", { name: "Add model" }).click();
  await expect(notice(page, "Success", "Model created successfully")).toBeVisible();
  await expect(page.getByRole("link", { name: /^Create Bursting neuron \(2\.1\) in/ })).toBeVisible();
});

test("authors change an entry, two at once too, leave it and delete it @all", async ({ page, watch, isMobile }) => {
  const name = `Shared by two ${isMobile}`;
  await openAs(page, people.researcher, "/add");
  const shared = { authors: [people.researcher.email, people.colleague.email], datasetUrl: "https://example.org/s" };
  type Entry = { id: string; updatedAt: string };
  const entry = await callAs<Entry>(page, "POST", "/resources", { type: "DATASET", name, tags: ["old"], ...shared });
  const path = `/resources/datasets/${entry.id}`;
  await page.goto(path);
  await page.getByRole("link", { name: "Edit" }).click();
  await expect(page).toHaveURL(`${path}/edit`);
  await expect(field(page, "Name")).toHaveValue(name);

  await test.step("what somebody else changed meanwhile is not lost, nor what one typed", async () => {
    watch.expects(/status of 409/, /status of 422/);
    await field(page, "Name").fill(`${name}, mine`);
    const { updatedAt } = entry;
    await callAs(page, "PATCH", `/resources/${entry.id}`, { name: "Theirs", description: "Told by them", updatedAt });
    await page.getByRole("button", { name: "Save" }).click();
    const conflict = page.getByRole("alert").filter({ hasText: "Someone else changed this entry in the meantime" });
    await expect(conflict).toContainText("Name: Theirs");
    await expect(conflict.getByText("Someone else changed")).toBeFocused();
    await expect(field(page, "Name")).toHaveValue(`${name}, mine`);
    await expect(field(page, "Description")).toHaveValue("Told by them");
    await expectAccessible(page);
    await conflict.getByRole("button", { name: "Take theirs: Name" }).click();
    await expect(field(page, "Name")).toHaveValue("Theirs");
    await field(page, "Name").fill(`${name}, ours`);
  });

  await test.step("who leaves is warned, and has no way back in", async () => {
    await page.getByRole("button", { name: `Remove the author ${people.researcher.email}` }).click();
    await expect(page.getByText("You're no longer among the authors")).toBeVisible();
    await page.getByRole("button", { name: "Save" }).click();
    await expect(notice(page, "Success", "Dataset saved successfully")).toBeVisible();
    await expect(page.getByRole("heading", { level: 1, name: `${name}, ours` })).toBeVisible();
    await expect(page.getByRole("link", { name: "Edit" })).toHaveCount(0);
    await page.goto(`${path}/edit`);
    await expect(page.getByText("Only an entry's authors can change it.")).toBeVisible();
    await page.goto(`/resources/repositories/${await idOf(page, "Spike sorting")}/edit`);
    await expect(page.getByText("comes from its descriptor file")).toBeVisible();
  });

  await page.context().clearCookies();
  await page.evaluate(() => localStorage.clear());
  await test.step("the last author cannot leave, but delete it", async () => {
    await openAs(page, people.colleague, `${path}/edit`);
    await page.getByRole("button", { name: `Remove the author ${people.colleague.email}` }).click();
    await page.getByRole("button", { name: "Save" }).click();
    await expect(field(page, "Authors")).toHaveAccessibleDescription(/Enter at least one e-mail address\./);
    await page.getByRole("link", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Delete" }).click();
    const dialog = page.getByRole("dialog", { name: "Delete resource" });
    await dialog.getByRole("textbox").fill(`${name}, ours`);
    await dialog.getByRole("button", { name: "Delete" }).click();
    await expect(page.getByText("Resource deleted")).toBeVisible();
    watch.expects(/status of 404/);
    await page.goto(`${path}/edit`);
    await expect(page.getByText("This entry doesn't exist, or you don't have access to it.")).toBeVisible();
  });
});
