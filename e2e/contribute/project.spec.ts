import type { Page } from "@playwright/test";
import { expectAccessible, expectNoSidewaysScroll } from "../support/accessible";
import { expectSoon } from "../support/answers";
import { callAs } from "../support/calls";
import { chooseAccount, openAs, people } from "../support/people";
import { associatedProjects, newSessionDialog, projectCard, startButton } from "../support/sessions";
import { dataset, expect, idOf, notice, test } from "./world";

const repositories = (page: Page) => page.getByRole("combobox", { name: "Search repositories" });
const datasets = (page: Page) => page.getByRole("combobox", { name: "Search datasets" });
const options = (page: Page, label: string) => page.getByRole("listbox", { name: label }).getByRole("option");
const nameField = (page: Page) => page.getByRole("textbox", { name: "Project name" });
const create = (page: Page) => page.getByRole("button", { name: "Create project" });
const chips = (page: Page) => page.getByRole("list", { name: "Chosen datasets" }).getByRole("button");
const selected = (page: Page) => page.getByRole("region", { name: "Repository" }).getByRole("article");
const searches = /\/resources\/search\?.*name=/;

test("a project is made of what is found, and nothing typed is lost on the way", async ({ page, watch, isMobile }) => {
  await page.clock.install();
  await openAs(page, people.researcher, "/add/project");
  await expect(page.getByRole("heading", { level: 1, name: "Add a project" })).toBeVisible();

  await test.step("it says what is private, and what publishing means", async () => {
    await expect(nameField(page)).toHaveAccessibleDescription(/^Only you see the name/);
    await expect(page.getByRole("checkbox", { name: "Published" })).not.toBeChecked();
    await expect(page.getByRole("checkbox", { name: "Published" })).toHaveAccessibleDescription(/^Everyone can see this project/);
  });

  await test.step("the newest are proposed, and before them what one starred", async () => {
    await expect(options(page, "Search repositories").first()).toContainText(/spike/i);
    await expect(page.getByRole("group", { name: "Starred by you" })).toHaveCount(0);
    await callAs(page, "PUT", `/resources/${await idOf(page, "First steps")}/star`);
    await page.reload();
    const starred = page.getByRole("listbox", { name: "Search repositories" }).getByRole("group", { name: "Starred by you" });
    await expect(starred.getByRole("option")).toHaveText([/First steps/]);
    await expect(options(page, "Search repositories").first()).toContainText("First steps");
    await expect(options(page, "Search repositories").filter({ hasText: "First steps" })).toHaveCount(1);
    await callAs(page, "DELETE", `/resources/${await idOf(page, "First steps")}/star`);
  });

  await test.step("without a name and a repository it says so, in this order, and leads there", async () => {
    await create(page).click();
    await expect(notice(page, "Error creating project", "Please enter a project name. Please select a repository.")).toBeVisible();
    await expect(nameField(page)).toBeFocused();
    await expect(nameField(page)).toHaveAccessibleDescription(/Please enter a project name\.$/);
    await expect(repositories(page)).toHaveAccessibleDescription(/Please select a repository\.$/);
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
    await nameField(page).fill("Spikes of the cortex 名前");
    await expect(nameField(page)).not.toHaveAttribute("aria-invalid");
  });

  await test.step("typing is searched for when it rests; Enter and the icon search at once", async () => {
    const asked: (string | null)[] = [];
    page.on("request", (request) => {
      if (searches.test(request.url())) asked.push(new URL(request.url()).searchParams.get("name"));
    });
    await page.clock.pauseAt(Date.now() + 60_000);
    await repositories(page).fill("spike so");
    await page.clock.runFor(1_400);
    await repositories(page).fill("spike sort");
    await page.clock.runFor(1_400);
    await repositories(page).fill("hidden");
    await repositories(page).press("Enter");
    await expect.poll(() => asked).toEqual(["hidden"]);
    await page.clock.runFor(1_400);
    await repositories(page).fill("spike sort");
    await page.clock.runFor(1_500);
    await expect.poll(() => asked).toEqual(["hidden", "spike sort"]);
    await repositories(page).fill("xyzzyx");
    await page.getByRole("button", { name: "Search repositories" }).click();
    await expect.poll(() => asked).toEqual(["hidden", "spike sort", "xyzzyx"]);
    await page.clock.resume();
    await expect(page.getByText("No repositories found")).toBeVisible();
    await expect(options(page, "Search repositories")).toHaveCount(0);
    await repositories(page).fill("hidden");
    await repositories(page).press("Enter");
    await expect(options(page, "Search repositories").first()).toContainText("Hidden spike tools private");
  });

  await test.step("a search that fails is an empty list", async () => {
    watch.expects(/status of 500/);
    await page.route(searches, (route) => route.fulfill({ status: 500, json: { message: "Something broke." } }));
    await repositories(page).fill("anything");
    await repositories(page).press("Enter");
    await expectSoon(page, page.getByText("No repositories found The search failed: Something broke."));
    await page.unroute(searches);
  });

  await test.step("one repository is picked by the keyboard alone, taken back, and picked with the pointer", async () => {
    await repositories(page).fill("spike sorting");
    await repositories(page).press("Enter");
    await expect(options(page, "Search repositories")).toHaveCount(1);
    await repositories(page).press("ArrowDown");
    await expect(repositories(page)).toHaveAttribute("aria-activedescendant", /.+/);
    await repositories(page).press("Enter");
    await expect(selected(page)).toContainText("Spike sorting");
    const reset = page.getByRole("button", { name: "Reset Selection" });
    await expect(reset).toBeFocused();
    await reset.press("Enter");
    await expect(repositories(page)).toBeFocused();
    await expect(repositories(page)).toHaveValue("");
    await options(page, "Search repositories").filter({ hasText: "Spike sorting" }).click();
    await expect(selected(page)).toContainText("Spike sorting");
    await expect(repositories(page)).toHaveCount(0);
  });

  await test.step("datasets are toggled by a click, and a chip takes one away", async () => {
    await datasets(page).fill("recordings");
    await datasets(page).press("Enter");
    const found = (name: string) => options(page, "Search datasets").filter({ hasText: name });
    for (const name of ["Cortex recordings", "Retina recordings", "Secret recordings"]) await found(name).click();
    await expect(chips(page)).toHaveText(["Cortex recordings", "Retina recordings", "Secret recordings"]);
    await found("Retina recordings").click();
    await expect(found("Retina recordings")).toHaveAttribute("aria-selected", "false");
    await expect(chips(page)).toHaveText(["Cortex recordings", "Secret recordings"]);
    await found("Retina recordings").click();
  });

  await test.step("a private part keeps it from being published", async () => {
    await page.getByRole("checkbox", { name: "Published" }).check();
    await create(page).click();
    await expect(page.getByRole("checkbox", { name: "Published" })).toHaveAccessibleDescription(/“Secret recordings” is private\./);
    await page.getByRole("button", { name: "Remove the dataset Secret recordings" }).click();
    await page.getByRole("checkbox", { name: "Published" }).uncheck();
  });

  await test.step("when the server fails, all of it stays", async () => {
    const calls = "**/api/v1/rf/projects";
    await page.route(calls, (route) => route.fulfill({ status: 500, json: { message: "The disk is full." } }));
    await create(page).click();
    await expect(notice(page, "Error creating project", "Please check your input and try again.")).toBeVisible();
    await expect(page.getByRole("alert").filter({ hasText: "The disk is full." })).toBeVisible();
    await expect(nameField(page)).toHaveValue("Spikes of the cortex 名前");
    await expect(chips(page)).toHaveText(["Cortex recordings", "Retina recordings"]);
    await page.unroute(calls);
  });

  await nameField(page).press("Enter");
  await expect(notice(page, "Project Created", "Spikes of the cortex 名前, with 2 datasets and 1 repository.")).toBeVisible();
  await expect(page).toHaveURL("/sessions");
  const made = projectCard(page, "Spikes of the cortex 名前").first();
  await expect(made.getByRole("list").getByRole("link")).toHaveText(["Spike sorting", "Cortex recordings", "Retina recordings"]);
  if (isMobile) await expectNoSidewaysScroll(page);
});

test("a link fills the form, through the sign-in too, and says what of it one may not see @all", async ({ page, watch, isMobile }) => {
  watch.expects(/status of 404/);
  const [code, cortex] = [await idOf(page, "Spike sorting"), await idOf(page, "Cortex recordings")];
  const name = `From a link ${isMobile}`;
  await page.goto("/events");
  await openAs(page, people.colleague, `/add/project?repositoryId=${code}&datasetIds=${cortex},${code},01900000-0000-7000-8000-000000000000`);
  await expect(selected(page)).toContainText("Spike sorting");
  await expect(chips(page)).toHaveText(["Cortex recordings"]);
  await expect(page.getByRole("alert").filter({ hasText: "Some parts in this link can't be used: 2 datasets" })).toBeVisible();
  await expectAccessible(page);

  await test.step("the selection taken back leaves the address", async () => {
    await nameField(page).fill(name);
    await page.getByRole("button", { name: "Reset Selection" }).click();
    await expect(page).toHaveURL(({ searchParams }) => !searchParams.has("repositoryId") && searchParams.has("datasetIds"));
    await expect(nameField(page)).toHaveValue(name);
    await options(page, "Search repositories").filter({ hasText: "Spike sorting" }).click();
  });

  await test.step("published, it is seen and started by others at its entries", async () => {
    await page.getByRole("checkbox", { name: "Published" }).check();
    await create(page).click();
    await expect(notice(page, "Project Created", `${name}, with 1 dataset and 1 repository.`)).toBeVisible();
    await page.context().clearCookies();
    await page.evaluate(() => localStorage.clear());
    await page.goto(`/resources/datasets/${cortex}`);
    await startButton(page, name).click();
    await chooseAccount(page, people.researcher);
    await expect(newSessionDialog(page)).toContainText(`the project ${name} in`);
    await expect(page).toHaveURL(`/resources/datasets/${cortex}`);
    await page.keyboard.press("Escape");
  });

  await test.step("a link to nothing that one may see is an empty form", async () => {
    await page.goto("/add/project?repositoryId=no-id");
    await expect(page.getByRole("alert")).toContainText("can't be used: the repository.");
    await expect(repositories(page)).toBeVisible();
  });
});

test("a part that turned private is marked, and the button says why @all", async ({ page, cairn }) => {
  const project = "A look at turning recordings";
  const code = `/resources/repositories/${await idOf(page, "Spike sorting")}`;
  await cairn.import(dataset("turning", "Turning recordings", "PRIVATE"));

  await test.step("for others: nothing of the part but that it is not available", async () => {
    await page.goto(code);
    const card = projectCard(page, project);
    await expect(card.getByRole("listitem")).toHaveText(["Spike sorting", "Cortex recordings", "Not available"]);
    await expect(card.getByRole("list").getByRole("link")).toHaveText(["Spike sorting", "Cortex recordings"]);
    await expect(startButton(page, project)).toHaveAttribute("aria-disabled", "true");
    await expect(startButton(page, project)).toHaveAccessibleDescription(
      /It can't be started: one of its datasets was deleted or is private to someone else\./,
    );
    await expect(page.getByText("Turning recordings", { exact: true })).toHaveCount(0);
    await expect(startButton(page, "A look at cortex")).not.toHaveAttribute("aria-disabled");
    await expectAccessible(page);
  });

  await test.step("an entry without projects has no such list", async () => {
    await page.goto(`/resources/datasets/${await idOf(page, "Retina recordings")}`);
    await expect(page.getByRole("region", { name: "About" })).toBeVisible();
    await page.waitForLoadState("networkidle");
    await expect(associatedProjects(page)).toHaveCount(0);
  });

  await test.step("its owner, who sees the part, is told what others meet", async () => {
    await openAs(page, people.researcher, "/sessions");
    await expect(projectCard(page, project).getByText("Published", { exact: true })).toBeVisible();
    await expect(projectCard(page, project)).toContainText("Others can't start it: “Turning recordings” is private.");
    await expect(startButton(page, project)).not.toHaveAttribute("aria-disabled");
  });
  await cairn.import(dataset("turning", "Turning recordings"));
});
