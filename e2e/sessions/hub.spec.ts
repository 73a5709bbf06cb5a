import { rename } from "node:fs/promises";
import { join } from "node:path";
import { expectAccessible, expectNoSidewaysScroll } from "../support/accessible";
import { unzip } from "../support/archive";
import { enterFolder, expectFiles, openNotebook, runCell, save } from "../support/jupyter";
import { hubTest } from "../support/hub-test";
import { callAs } from "../support/calls";
import { openAs, people } from "../support/people";
import { addFiles } from "../support/repository";
import {
  downloadWork,
  expectStatus,
  fillDialog,
  newSessionDialog,
  newTab,
  sessionCard,
  typeName,
  watchLaunches,
} from "../support/sessions";
import { expect } from "../support/test";
import { loseAndBringBack } from "../support/time-machine";

const test = hubTest();

const name = "On the cluster";

test.skip(process.getuid?.() !== 0, "a hub that gives each session a user of its own is root");

test("sessions can have on the hub what they can have here", async ({ page }) => {
  await page.goto("/");
  const { sessions } = await callAs<{ sessions: { kinds: { can: string[] }[] } }>(page, "GET", "/config");
  const [first, second] = sessions.kinds;
  expect(first?.can).toEqual(["archives", "datasets", "environments", "runs", "undelete", "usage", "versions", "warm"]);
  expect(second?.can).toEqual(first?.can);
});

test("the dialog offers the engines, and each by its label", async ({ page }, info) => {
  await openAs(page, people.researcher, "/sessions");
  await fillDialog(page, name);
  const choice = newSessionDialog(page).getByRole("group", { name: "Where it runs" });
  await expect(choice.getByRole("radio")).toHaveCount(2);
  await expect(choice.getByRole("radio", { name: "Cluster of the lab" })).toBeChecked();
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 844 });
    await choice.getByText(width === 390 ? "This server" : "Cluster of the lab").click();
    await expect(
      choice.getByRole("radio", { name: width === 390 ? "This server" : "Cluster of the lab" }),
    ).toBeChecked();
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
    await page.screenshot({ path: info.outputPath(`dialog-${width}.png`) });
  }
});

test("a session on a JupyterHub lives as any other @all", async ({ page, context, cairn, hub }, info) => {
  await openAs(page, people.researcher, "/sessions");
  const launch = async () => {
    await fillDialog(page, name);
    return newTab(page, newSessionDialog(page).getByRole("button", { name: "Create session" }));
  };

  await addFiles(cairn, { "requirements.txt": "firefly==1.0\n" });

  await test.step("what the hub's hook says of a launch that fails is on the launch page", async () => {
    const repositories = join(cairn.dataDir, "demo", "git");
    await rename(repositories, `${repositories}-away`);
    const tab = await launch();
    await expect(tab.getByRole("status")).toContainText(
      /The repository couldn.t be copied|The repository.s host didn.t answer/,
      { timeout: 60_000 },
    );
    await tab.screenshot({ path: info.outputPath("failed.png"), fullPage: true });
    await rename(`${repositories}-away`, repositories);
    const seen = await watchLaunches(context);
    await tab.getByRole("button", { name: "Try again" }).click();
    await expectFiles(tab, "first-steps", "data");
    expect(seen.steps).toEqual([
      "Queued",
      "Copy the repository",
      "Connect the datasets",
      "Prepare the environment",
      "Start Jupyter",
      "Ready",
    ]);
    await tab.close();
  });

  await test.step("its notebook has its packages and its data, and goes on while the hub is killed and started again", async () => {
    await expectStatus(page, name, "RUNNING");
    await expect(
      sessionCard(page, name).getByRole("definition").filter({ hasText: "Cluster of the lab" }),
    ).toBeVisible();
    const tab = await newTab(page, sessionCard(page, name).getByRole("link", { name: "Open", exact: true }));
    await expectFiles(tab, "first-steps", "data");
    await expect(tab.locator("#logout")).toBeAttached();
    await expect(tab.locator("#logout")).toBeHidden();
    await enterFolder(tab, "data");
    await expectFiles(tab, "argon-energy", "membrane-recording");
    await tab.goBack();
    await enterFolder(tab, "first-steps");
    const notebook = await openNotebook(tab, "first-steps.ipynb");
    await runCell(notebook, 'open("kept.txt", "w").write("of the first run"); here = 6 * 7; print(here)', "42");
    await runCell(
      notebook,
      'import firefly, os; print(firefly.glow, len(os.listdir(os.environ["CAIRN_DATASETS"])))',
      "on and off 2",
    );
    await hub.crash();
    await runCell(notebook, "print(here + 1)", "43");
    await notebook.screenshot({ path: info.outputPath("notebook.png") });
    await save(notebook);
    await notebook.close();
    await tab.close();
    await expectStatus(page, name, "RUNNING");
  });

  await test.step("Terminate ends it and keeps its work", async () => {
    await sessionCard(page, name).getByRole("button", { name: "Terminate" }).click();
    await expect(page.getByText("Session terminated")).toBeVisible();
    await expectStatus(page, name, "TERMINATED");
    await expect.poll(() => hub.sessions()).toEqual([]);
    const files = await unzip(await downloadWork(page, name));
    expect(files["first-steps/kept.txt"]).toBe("of the first run");
    expect(Object.keys(files).filter((path) => path.startsWith("data/"))).toEqual([]);
  });

  await test.step("Restart brings the same files back, on the same engine", async () => {
    const tab = await newTab(page, sessionCard(page, name).getByRole("button", { name: "Restart" }));
    await expectFiles(tab, "first-steps", "data");
    await enterFolder(tab, "first-steps");
    await expectFiles(tab, "kept.txt");
    await tab.close();
  });

  await test.step("a disabled account's session is stopped on the hub, and its work stays", async () => {
    await expectStatus(page, name, "RUNNING");
    await cairn.command("accounts", "disable", people.researcher.email);
    await expectStatus(page, name, "FINISHED");
    await expect(sessionCard(page, name)).toContainText("The operators disabled this account");
    await expect.poll(() => hub.sessions()).toEqual([]);
    expect((await unzip(await downloadWork(page, name)))["first-steps/kept.txt"]).toBe("of the first run");
    await cairn.command("accounts", "enable", people.researcher.email);
  });

  await test.step("Delete ends it on the hub, and it can come back", async () => {
    await typeName(page, name);
    await expect(page.getByText("Session deleted")).toBeVisible();
    await expect(page.getByText("No sessions found.")).toBeVisible();
    await expect.poll(() => hub.sessions()).toEqual([]);
    const deleted = await callAs<{ id: string }[]>(page, "GET", "/sessions?status=DELETED");
    expect(deleted).toHaveLength(1);
    for (const { id } of deleted) await callAs(page, "DELETE", `/sessions/${id}?now=true`);
  });
});

// These come last: the hub keeps a copy of the repository, with which a launch goes on whose host doesn't answer.
test("a job runs on the hub, and leaves the executed notebook", async ({ page }) => {
  await openAs(page, people.researcher, "/add");
  const [entry] = await callAs<{ id: string }[]>(page, "GET", "/resources/public/search?type=NOTEBOOK&name=rhythm");
  const asked = { resourceId: entry?.id, engine: "hub", parameters: { rhythm: 11 } };
  const { id } = await callAs<{ id: string }>(page, "POST", "/jobs", asked);
  interface Job {
    state: string;
    session: string;
    processorSeconds: number;
    reason?: string;
  }
  const job = () => callAs<Job>(page, "GET", `/jobs/${id}`);
  await expect.poll(async () => (await job()).reason ?? (await job()).state, { timeout: 180_000 }).toBe("DONE");
  expect((await job()).processorSeconds).toBeGreaterThan(0);
  const notebook = await callAs<{ cells: object[] }>(page, "GET", `/jobs/${id}/notebook`);
  expect(JSON.stringify(notebook.cells)).toContain("power at 11 Hz");
  const { session } = await job();
  const status = async () => (await callAs<{ status: string }>(page, "GET", `/sessions/${session}`)).status;
  await expect.poll(status, { timeout: 60_000 }).toBe("TERMINATED");
});

test("cairn engine check tries the hub end to end", async ({ cairn, hub }) => {
  const repository = `${cairn.url}/demo/git/first-steps.git`;
  const said = await cairn.command("engine", "check", "--config", await hub.cairnConfig(), "--repository", repository);
  for (const line of [
    "The hub is JupyterHub",
    "has all scopes",
    "A session was ready",
    "without leaving anything behind",
  ]) {
    expect(said).toContain(line);
  }
  await expect.poll(() => hub.sessions()).toEqual([]);
});

test("the catalog runs an entry on the hub, with the verdict that it has here", async ({ page, hub }) => {
  test.setTimeout(240_000);
  await openAs(page, people.operator, "/");
  const [entry] = await callAs<{ id: string }[]>(
    page,
    "GET",
    "/resources/public/search?type=REPOSITORY&name=First+steps",
  );
  await callAs(page, "POST", `/resources/${entry?.id}/runs`, {});
  const run = async () =>
    (
      await callAs<{ content: { state: string; verdict?: string; engine: string; reason?: string }[] }>(
        page,
        "GET",
        `/resources/public/${entry?.id}/runs`,
      )
    ).content[0];
  await expect.poll(async () => (await run())?.state, { timeout: 180_000 }).toBe("DONE");
  expect(await run()).toMatchObject({ verdict: "CLEAN", engine: "hub" });
  await expect.poll(() => hub.sessions()).toEqual([]);
});

test("the time machine works on a hub as on this machine @all", async ({ page, hub, watch }) => {
  test.setTimeout(600_000);
  // Jupyter asks for what was deleted, and is told that what it shows was replaced.
  watch.expects(/status of (404|409) .*\/api\/contents\//);
  await loseAndBringBack(page, async () => {
    await expect.poll(() => hub.sessions()).toEqual([]);
  });
});
