import type { Page } from "@playwright/test";
import { callAs } from "../support/calls";
import { openAs, people } from "../support/people";
import { associatedProjects, deleteAllSessions, demoProject, fillDialog, newSessionDialog, openDemoRepository, projectCard } from "../support/sessions";
import { expect, projects, test } from "./fixtures";

/** Opens the dialog that deletes a project, and types the name. */
async function deleteProject(page: Page, name: string): Promise<void> {
  await projectCard(page, name).getByRole("button", { name: `Delete project ${name}` }).click();
  const dialog = page.getByRole("dialog", { name: "Delete project" });
  const confirm = dialog.getByRole("button", { name: "Delete", exact: true });
  await dialog.getByRole("textbox").fill(name.toUpperCase());
  await expect(confirm).toBeDisabled();
  await dialog.getByRole("textbox").fill(name);
  await confirm.click();
  await expect(dialog).toHaveCount(0);
}

interface Project {
  id: string;
  name: string;
  repositoryResource: { id: string };
  datasetResources: { id: string }[];
}

/** One of the signed-in person's projects. */
async function project(page: Page, name: string): Promise<Project> {
  const found = (await callAs<Project[]>(page, "GET", "/projects")).find((each) => each.name === name);
  if (!found) throw new Error(`there is no project "${name}"`);
  return found;
}

test("owners, and they alone, delete a project; it comes back with the reason when that fails", async ({
  page,
  cairn,
  watch,
}) => {
  await openAs(page, people.colleague, "/sessions");

  await test.step("without projects there is a way to add one", async () => {
    await expect(page.getByText("You have no projects yet.")).toBeVisible();
    await page.getByRole("link", { name: "Add a project" }).click();
    await expect(page).toHaveURL("/add/project");
  });

  await test.step("others see published projects and cannot delete them", async () => {
    await openDemoRepository(page);
    await expect(associatedProjects(page).getByRole("article")).toHaveCount(3);
    await expect(associatedProjects(page).getByRole("button", { name: "Start Project Session" })).toHaveCount(3);
    await expect(associatedProjects(page).getByRole("button", { name: /^Delete/ })).toHaveCount(0);
  });

  await page.context().clearCookies();
  await page.evaluate(() => localStorage.clear());
  await openAs(page, people.researcher, "/sessions");

  await test.step("the dashboard shows all of one's own, with their parts", async () => {
    for (const name of [demoProject, ...Object.values(projects)]) await expect(projectCard(page, name)).toBeVisible();
    const parts = projectCard(page, demoProject).getByRole("list").getByRole("link");
    await expect(parts).toHaveText(["First steps", "Membrane recording of a model neuron", "Energy trace of liquid argon"]);
  });

  await test.step("a deletion that fails brings the card back", async () => {
    watch.expects(/net::ERR_/, /cannot be brought up to date/);
    await cairn.kill9();
    await deleteProject(page, projects.old);
    await expect(page.getByRole("alert").filter({ hasText: "Error deleting session" })).toContainText("cannot be reached");
    await expect(projectCard(page, projects.old)).toBeVisible();
    await cairn.restart();
  });

  await test.step("a deletion takes the card away at once, here and at its entry", async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route("**/api/v1/rf/projects/*", async (route) => {
      await held;
      await route.continue();
    });
    await deleteProject(page, projects.old);
    await expect(projectCard(page, projects.old)).toHaveCount(0);
    await expect(page.locator("article:focus")).toHaveCount(1);
    await expect(page.getByText("Project deleted")).toHaveCount(0);
    release();
    await expect(page.getByText("Project deleted")).toBeVisible();
    await expect(projectCard(page, projects.second)).toBeVisible();
    await openDemoRepository(page);
    await expect(projectCard(page, projects.second)).toBeVisible();
    await expect(projectCard(page, projects.old)).toHaveCount(0);
    await expect(associatedProjects(page).getByRole("button", { name: `Delete project ${demoProject}` })).toBeVisible();
  });
});

test("an owner changes a project on its page, and runs it there @all", async ({ page }) => {
  await openAs(page, people.researcher, "/sessions");
  const { repositoryResource, datasetResources } = await project(page, projects.lost);
  const datasetIds = datasetResources.map(({ id }) => id);
  const body = { name: "Mispelled", repositoryId: repositoryResource.id, datasetIds };
  await callAs(page, "POST", "/projects", body);
  await page.reload();
  await projectCard(page, "Mispelled").getByRole("link", { name: "Mispelled" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Mispelled" })).toBeVisible();
  await expect(page.getByText("You haven't started any sessions from this project.")).toBeVisible();

  await page.getByRole("link", { name: "Edit" }).click();
  await page.getByRole("textbox", { name: "Project name" }).fill("Misspelled");
  await page.getByRole("checkbox", { name: "Published" }).check();
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("Project saved")).toBeVisible();
  await expect(page.getByRole("heading", { level: 1, name: "Misspelled" })).toBeVisible();
  await expect(page.getByText("Anyone who is signed in may start sessions from it")).toBeVisible();
  const changed = await project(page, "Misspelled");
  expect(changed.datasetResources.map(({ id }) => id)).toEqual(datasetIds);

  const opened = page.context().waitForEvent("page");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  const tab = await opened;
  const sessions = page.getByRole("region", { name: "Your sessions" });
  await expect(sessions.getByRole("listitem")).toContainText(["Misspelled"], { timeout: 60_000 });
  await tab.close();

  await page.getByRole("button", { name: "Delete" }).click();
  const dialog = page.getByRole("dialog", { name: "Delete project" });
  await dialog.getByRole("textbox").fill("Misspelled");
  await dialog.getByRole("button", { name: "Delete", exact: true }).click();
  await expect(page.getByText("Project deleted")).toBeVisible();
  await expect(page).toHaveURL("/sessions");
  await expect(projectCard(page, projects.lost)).toBeVisible();
  await expect(page.getByRole("button", { name: "Delete project Misspelled" })).toHaveCount(0);
  await deleteAllSessions(page);
});

test("somebody who signs in to start finds the dialog of that project, and an address without the flag @all", async ({ page, watch }) => {
  await page.goto("/events");
  await openDemoRepository(page);
  const address = page.url();
  const flagged = (project: string) =>
    `${address}${address.includes("?") ? "&" : "?"}showStartProjectSessionModal=true&projectId=${project}`;
  const asked = page.waitForRequest((request) => request.url().includes("/idp/authorize"));
  await projectCard(page, projects.second).getByRole("button", { name: "Start Project Session" }).click();
  expect(new URL((await asked).url()).searchParams.get("prompt")).toBe("login");
  await page.getByRole("button", { name: people.researcher.email }).click();
  await expect(newSessionDialog(page)).toContainText(`the project ${projects.second} in`);
  await expect(page).toHaveURL(address);
  await page.keyboard.press("Escape");

  await test.step("Back leads to the page before, not to the flag", async () => {
    await page.goto("/events");
    const id = new URL(address).pathname.split("/").at(-1);
    const project = await page.evaluate(async (repository) => {
      const answer = await fetch(`/api/v1/rf/resources/public/${repository}/projects`);
      return (await answer.json()).find(({ name }: { name: string }) => name.startsWith("First steps")).id as string;
    }, id);
    await page.goto(flagged(project));
    await expect(newSessionDialog(page)).toContainText(`the project ${demoProject} in`);
    await expect(page).toHaveURL(address);
    await page.reload();
    await expect(projectCard(page, demoProject)).toBeVisible();
    await expect(newSessionDialog(page)).toHaveCount(0);
    await page.goBack();
    await expect(page).toHaveURL("/events");
  });

  await test.step("a flag without a project leaves the address too", async () => {
    await page.goto(flagged("").replace("&projectId=", ""));
    await expect(page).toHaveURL(address);
    await expect(newSessionDialog(page)).toHaveCount(0);
  });

  await test.step("a project that is gone is said to be", async () => {
    watch.expects(/status of 404/);
    await page.goto(flagged("01900000-0000-7000-8000-000000000000"));
    await expect(page.getByRole("alert")).toContainText("This project doesn't exist, or you don't have access to it.");
  });
});

test("the dialog proposes a name and wants one", async ({ page }) => {
  await openAs(page, people.researcher, "/sessions");
  await fillDialog(page);
  const dialog = newSessionDialog(page);
  const field = dialog.getByRole("textbox", { name: "Session name" });
  const create = dialog.getByRole("button", { name: "Create session" });
  await expect(field).toBeFocused();
  await expect(field).toHaveAccessibleDescription("Session names are private: only you see them.");
  await expect(create).toBeEnabled();
  await field.fill("   ");
  await expect(create).toBeDisabled();
  await field.press("Enter");
  await expect(page.getByText("Session name is required")).toBeVisible();
  await field.fill("夜".repeat(201));
  await expect(create).toBeDisabled();
  await expect(field).toHaveAccessibleDescription(/At most 200 characters/);
  await field.fill("夜".repeat(200));
  await expect(create).toBeEnabled();
  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
  expect(page.context().pages()).toHaveLength(1);
});

test("buttons of announced kinds say why they are off: to pointers, keys and fingers @phone @all", async ({ page, isMobile }) => {
  await openAs(page, people.researcher, "/sessions");
  for (const kind of ["VSCode", "Jupyter"]) {
    const button = page.getByRole("button", { name: kind, exact: true });
    const tooltip = page.getByRole("tooltip").filter({ hasText: `${kind} sessions are in development.` });
    await expect(button).toHaveAttribute("aria-disabled", "true");
    await expect(button).toHaveAccessibleDescription(/you will be able to create new \w+ sessions here/);
    await expect(tooltip).toBeHidden();
    if (isMobile) await button.tap({ force: true });
    else await button.hover({ force: true });
    await expect(tooltip).toBeVisible();
    if (isMobile) await page.getByRole("heading", { level: 1 }).tap();
    else await page.getByRole("heading", { level: 1 }).hover();
    await expect(tooltip).toBeHidden();
    if (!isMobile) {
      await page.getByRole("group", { name: "Show sessions in state" }).getByRole("button").first().focus();
      for (let presses = kind === "VSCode" ? 2 : 1; presses > 0; presses -= 1) await page.keyboard.press("Shift+Tab");
      await expect(button).toBeFocused();
      await expect(tooltip).toBeVisible();
      await page.keyboard.press("Escape");
      await expect(tooltip).toBeHidden();
      await page.keyboard.press("Enter");
    }
    await expect(page.getByRole("dialog")).toHaveCount(0);
  }
});
