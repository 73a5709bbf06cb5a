import { unzip } from "../support/archive";
import { enterFolder, expectFiles, expectIdle, openNotebook, runAll, runCell, save } from "../support/jupyter";
import { chooseAccount, openAs, people, unfoldNavigation } from "../support/people";
import { CairnServer } from "../support/server";
import {
  defaultName,
  deleteSession,
  demoProject,
  downloadWork,
  expectNothingRuns,
  expectStatus,
  fillDialog,
  launchSteps,
  newSessionDialog,
  newTab,
  openDemoRepository,
  sessionCard,
  sessionProcesses,
  watchLaunches,
  watchTabs,
} from "../support/sessions";
import { test as base, expect } from "../support/test";

// A separate server, because this journey kills it.
const test = base.extend<object, { cairn: CairnServer }>({
  cairn: [
    async ({}, use) => {
      const cairn = await CairnServer.start();
      await use(cairn);
      await cairn.close();
    },
    { scope: "worker" },
  ],
});

test("from the catalog to a notebook that runs, and through the life of its session", async ({
  page,
  context,
  cairn,
  watch,
}, info) => {
  await openAs(page, people.researcher, "/sessions");
  await expect(page.getByText("No sessions found.")).toBeVisible();
  await openDemoRepository(page);
  const name = await defaultName(page);

  const jupyter = await test.step("the project starts in a new tab that names its steps", async () => {
    const seen = await watchLaunches(context);
    const tabs = await watchTabs(context);
    await fillDialog(page);
    const first = context.waitForEvent("request", (request) => request.isNavigationRequest());
    const tab = await newTab(page, newSessionDialog(page).getByRole("button", { name: "Create session" }), "Session started");
    await expect(newSessionDialog(page)).toHaveCount(0);
    await expectFiles(tab, "first-steps", "data");
    // Our page opens the tab within the click; what is loaded there later can't reach the page that opened it.
    expect(tabs.openedDuring).toEqual(["submit"]);
    expect(new URL((await first).url()).pathname).toBe("/open");
    expect(tabs.documents.map((each) => each.origin)).toContain(new URL(tab.url()).origin);
    expect(tabs.documents.filter(({ opener }) => opener)).toEqual([]);
    expect(seen.headings).toEqual([name]);
    expect(seen.steps).toEqual(launchSteps);
    expect(new URL(tab.url()).search).toBe("");
    await expect(tab.locator("#logout")).toBeAttached();
    await expect(tab.locator("#logout")).toBeHidden();
    // A narrow bar has no room for it.
    if (info.project.name === "desktop") await expect(tab.getByRole("meter", { name: "Memory" })).toHaveText(/^Memory \d+ MiB of 2 GiB$/);
    const back = tab.getByRole("link", { name: demoProject });
    await expect(back).toHaveAttribute("href", new RegExp(`^${new URL(page.url()).origin}/resources/repositories/`));
    return tab;
  });

  await test.step("the datasets lie in data/", async () => {
    await enterFolder(jupyter, "data");
    await expectFiles(jupyter, "argon-energy", "membrane-recording");
    await jupyter.goBack();
  });

  await test.step("the notebook reads the data and draws", async () => {
    await enterFolder(jupyter, "first-steps");
    const notebook = await openNotebook(jupyter, "first-steps.ipynb");
    await runAll(notebook);
    const outputs = notebook.locator(".output_area");
    await expect(outputs.filter({ hasText: /^membrane-recording: .*membrane-recording\.csv/m })).toBeVisible();
    await expect(outputs.filter({ hasText: /\d+ spikes, \d+ of them during the current step/ })).toBeVisible();
    await expect(outputs.filter({ hasText: /temperature \d+\.\d K, fluctuating by/ })).toBeVisible();
    await expect(notebook.locator(".output_error")).toHaveCount(0);
    const plots = notebook.locator(".output_png img");
    await expect(plots).toHaveCount(2);
    for (const plot of await plots.all()) {
      await plot.scrollIntoViewIfNeeded();
      await expect.poll(() => plot.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(100);
    }
    await notebook.screenshot({ path: info.outputPath("notebook.png") });
    const keep = 'print(open("kept.txt", "w").write("of the first run"), "characters kept")';
    await runCell(notebook, keep, "16 characters kept");
    await save(notebook);
    await notebook.close();
  });

  await test.step("the card tells what runs", async () => {
    await page.goto("/sessions");
    await expectStatus(page, name, "RUNNING");
    const card = sessionCard(page, name);
    const datasets = "Membrane recording of a model neuron, Energy trace of liquid argon";
    for (const fact of [demoProject, "First steps", datasets]) {
      await expect(card.getByRole("definition").filter({ hasText: fact }).first()).toBeVisible();
    }
    await expect(page.getByText("1 of 10 in use")).toBeVisible();
    expect(await sessionProcesses(cairn)).not.toEqual([]);
  });

  await test.step("a killed server leaves the session alone, and the next one finds it", async () => {
    watch.expects(/net::ERR_/, /The sessions cannot be brought up to date/);
    await cairn.kill9();
    expect(await sessionProcesses(cairn)).not.toEqual([]);
    await cairn.restart();
    await page.reload();
    await expectStatus(page, name, "RUNNING");
    await jupyter.reload();
    await expectFiles(jupyter, "first-steps.ipynb", "kept.txt");
    const notebook = await openNotebook(jupyter, "first-steps.ipynb");
    await runCell(notebook, "print(6 * 7)", "42");
    await save(notebook);
    await notebook.close();
    await jupyter.close();
  });

  await test.step("Open leads to the same Jupyter", async () => {
    const tab = await newTab(page, sessionCard(page, name).getByRole("link", { name: "Open", exact: true }), "Session resumed");
    await expectFiles(tab, "first-steps", "data");
    await tab.close();
  });

  await test.step("the work of a running session is downloaded, without its datasets", async () => {
    const download = await downloadWork(page, name);
    expect(download.suggestedFilename()).toBe(`${name.replaceAll("/", "-")}.zip`);
    const files = await unzip(download);
    expect(files["first-steps/kept.txt"]).toBe("of the first run");
    expect(files["first-steps/first-steps.ipynb"]).toContain("characters kept");
    expect(Object.keys(files).filter((path) => path.startsWith("data/") && path !== "data/")).toEqual([]);
    await expect(page).toHaveURL("/sessions");
  });

  await test.step("Terminate ends the processes", async () => {
    await sessionCard(page, name).getByRole("button", { name: "Terminate" }).click();
    await expect(page.getByText("Session terminated")).toBeVisible();
    await expectStatus(page, name, "TERMINATED");
    await expect(sessionCard(page, name).getByRole("link", { name: "Open" })).toHaveCount(0);
    await expect(page.getByText("0 of 10 in use")).toBeVisible();
    await expectNothingRuns(cairn);
    const files = await unzip(await downloadWork(page, name));
    expect(files["first-steps/kept.txt"]).toBe("of the first run");
  });

  const files = await test.step("Restart brings the same files back", async () => {
    const tab = await newTab(page, sessionCard(page, name).getByRole("button", { name: "Restart" }), "Session resumed");
    await expectFiles(tab, "first-steps", "data");
    await expectStatus(page, name, "RUNNING");
    await enterFolder(tab, "first-steps");
    const opened = tab.context().waitForEvent("page");
    await tab.getByRole("link", { name: "kept.txt" }).click();
    await expect((await opened).getByText("of the first run")).toBeVisible();
    return tab;
  });

  const notebook = await openNotebook(files, "first-steps.ipynb");
  await files.close();

  await test.step("who has signed out signs in again beside the notebook, which continues", async () => {
    watch.expects(/status of 401 /, /WebSocket connection to .* failed/);
    await unfoldNavigation(page);
    await page.getByRole("button", { name: `Account of ${people.researcher.name}` }).click();
    await page.getByRole("menuitem", { name: "Logout" }).click();
    await notebook.bringToFront();
    const told = notebook.getByRole("alertdialog", { name: "Sign in to continue" });
    await expect(told).toBeVisible({ timeout: 180_000 });
    const signIn = await newTab(notebook, told.getByRole("link", { name: "Sign in to continue" }));
    await signIn.getByRole("button", { name: "Institution Login" }).click();
    await chooseAccount(signIn, people.researcher);
    await expect(signIn.getByText("You're signed in")).toBeVisible();
    await expect(signIn.getByRole("link", { name: "Open the page here instead" })).toHaveAttribute("href", new URL(notebook.url()).pathname);
    await signIn.close();
    await notebook.bringToFront();
    await expect(told).toHaveCount(0, { timeout: 180_000 });
    await expectIdle(notebook);
    await runCell(notebook, "print(7 * 8)", "56");
    await save(notebook);
  });

  await test.step("the page of a session that has ended says so, and starts it again at the same file", async () => {
    // Jupyter's requests while it's being stopped and afterwards.
    watch.expects(/status of (409|5\d\d) .*\/s\/[0-9a-f-]{36}\/api\//);
    await page.goto("/sessions");
    await sessionCard(page, name).getByRole("button", { name: "Terminate" }).click();
    await notebook.bringToFront();
    const told = notebook.getByRole("alertdialog", { name: "This session has ended" });
    await expect(told).toContainText("The session was terminated. Its work is kept.", { timeout: 180_000 });
    await told.getByRole("button", { name: "Keep reading" }).click();
    await expect(told).toHaveCount(0);
    await expect(notebook.locator(".modal")).toHaveCount(0);
    const address = notebook.url();
    await notebook.getByRole("status").getByRole("button", { name: "Start again" }).click();
    await expect(notebook).toHaveURL(address, { timeout: 180_000 });
    await expectIdle(notebook);
    await runCell(notebook, "print(8 * 9)", "72");
    await save(notebook);
    await notebook.close();
  });

  await page.bringToFront();
  await deleteSession(page, cairn, name);
  await expect(page.getByText("No sessions found.")).toBeVisible();
});
