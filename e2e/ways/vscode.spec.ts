import { chownSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Page } from "@playwright/test";
import { callAs } from "../support/calls";
import { openAs, people } from "../support/people";
import { CairnServer } from "../support/server";
import { demoProject, expectNothingRuns, newSessionDialog, newTab, openDemoRepository } from "../support/sessions";
import { test as base, expect } from "../support/test";
import { codeServer, editorNoise } from "../support/vscode";

const test = base.extend<object, { cairn: CairnServer }>({
  cairn: [
    async ({}, use) => {
      const cairn = await CairnServer.start({ environment: { CAIRN_SESSIONS_VSCODE: codeServer } });
      await use(cairn);
      await cairn.close();
    },
    { scope: "worker" },
  ],
});

/** Presses "Open in VS Code" on the page of the demo's repository, and returns the tab once its notebook is there. */
async function openEditor(page: Page): Promise<Page> {
  await openDemoRepository(page);
  const tab = await newTab(page, page.getByRole("main").getByRole("button", { name: "Open in VS Code" }));
  await expect(tab).toHaveURL(/\/vscode\/[0-9a-f-]{36}\//, { timeout: 180_000 });
  await expect(tab.getByRole("button", { name: "Run All" })).toBeVisible({ timeout: 180_000 });
  return tab;
}

function sessionOf(tab: Page): string {
  return /\/vscode\/([0-9a-f-]{36})\//.exec(tab.url())?.[1] ?? "";
}

/** The work folder of a session, as the server sees it. */
function workOf(cairn: CairnServer, session: string): string {
  return `${cairn.dataDir}/sessions/local/${session}/work`;
}

/** Puts a file into a session's work as its programs would, hidden ones too. */
function put(cairn: CairnServer, session: string, path: string, content: string): void {
  const work = workOf(cairn, session);
  const { uid, gid } = statSync(work);
  const file = `${work}/${path}`;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  for (const one of [dirname(file), file]) chownSync(one, uid, gid);
}

async function deleteSessions(page: Page, cairn: CairnServer): Promise<void> {
  for (const { id } of await callAs<{ id: string }[]>(page, "GET", "/sessions/"))
    await callAs(page, "DELETE", `/sessions/${id}`);
  await expectNothingRuns(cairn);
}

test("a notebook runs in VS Code with the session's kernel, is saved in versions, and opens in Jupyter too", async ({
  page,
  cairn,
  watch,
}, info) => {
  test.slow();
  watch.expects(...editorNoise);
  await openAs(page, people.researcher, "/add");
  const tab = await openEditor(page);
  const session = sessionOf(tab);
  await expect(tab.getByText("Python 3", { exact: true }).first()).toBeVisible();
  await tab.getByRole("button", { name: "Run All" }).click();
  // Its first cells have run, with counts of their own; those below are drawn when they come into view.
  await expect(tab.getByText("[2]", { exact: true }).first()).toBeAttached({ timeout: 180_000 });
  const status = tab.locator(".part.statusbar");
  await expect(status.getByText(/^Memory \d/)).toBeVisible();
  await expect(status.getByText("Stop", { exact: true })).toBeVisible();
  await tab.screenshot({ path: info.outputPath("vscode.png") });

  await test.step("a changed file is in a version", async () => {
    const count = async () =>
      (await callAs<{ content: unknown[] }>(page, "GET", `/sessions/${session}/versions`)).content.length;
    const before = await count();
    await tab.keyboard.press("Control+s");
    await expect.poll(count, { timeout: 180_000 }).toBeGreaterThan(before);
  });

  await test.step("the editor shows a file that was restored under it", async () => {
    put(cairn, session, "first-steps/notes.txt", "as it was");
    const { id } = await callAs<{ id: string }>(page, "POST", `/sessions/${session}/versions`, { name: "before" });
    await tab.keyboard.press("Control+p");
    await tab.keyboard.type("notes.txt");
    await tab
      .getByRole("option", { name: /^notes\.txt/ })
      .first()
      .waitFor();
    await tab.keyboard.press("Enter");
    const lines = tab.locator(".editor-instance .view-lines");
    await expect(lines.filter({ hasText: /as\sit\swas/ })).toBeVisible();
    await lines.filter({ hasText: /as\sit\swas/ }).click();
    await tab.keyboard.press("Control+End");
    await tab.keyboard.type(", and more");
    await tab.keyboard.press("Control+s");
    await expect
      .poll(() => readFileSync(`${workOf(cairn, session)}/first-steps/notes.txt`, "utf8"))
      .toBe("as it was, and more");
    await callAs(page, "POST", `/sessions/${session}/versions/${id}/restore`, {
      path: "first-steps/notes.txt",
      into: "place",
    });
    await expect(lines.filter({ hasText: "and more" })).toHaveCount(0, { timeout: 30_000 });
    await expect(lines.filter({ hasText: /as\sit\swas/ })).toBeVisible();
  });

  await test.step("a command that runs in a terminal is work as long as it runs", async () => {
    let told = 0;
    tab.on("request", (request) => {
      if (request.method() === "POST" && request.url().endsWith(`/.cairn/s/${session}/keep`)) told += 1;
    });
    await tab.keyboard.press("Control+Backquote");
    await tab.locator(".terminal.xterm").first().waitFor();
    await expect(tab.locator(".xterm-helper-textarea").first()).toBeFocused();
    await tab.keyboard.type("sleep 600");
    await tab.keyboard.press("Enter");
    await expect.poll(() => told, { timeout: 60_000 }).toBeGreaterThan(0);
    const before = told;
    await expect.poll(() => told, { timeout: 110_000 }).toBeGreaterThan(before);
    await tab.keyboard.press("Control+c");
  });

  await test.step("Jupyter's bar leads there, and the session's address in VS Code works again", async () => {
    const jupyter = await page.context().newPage();
    await jupyter.goto(`/sessions/${session}/open`);
    await expect(jupyter).toHaveURL(/\.ipynb$/, { timeout: 60_000 });
    const link = jupyter.getByRole("region", { name: "Session" }).getByRole("link", { name: "VS Code" });
    const again = await newTab(jupyter, link);
    await expect(again).toHaveURL(new RegExp(`/vscode/${session}/`));
    await expect(again.getByText("first-steps.ipynb").first()).toBeVisible({ timeout: 60_000 });
    for (const one of [again, jupyter, tab]) await one.close();
  });
  await deleteSessions(page, cairn);
});

test("VS Code opens on a phone @phone", async ({ page, cairn, watch }, info) => {
  test.slow();
  watch.expects(...editorNoise);
  await openAs(page, people.colleague, "/add");
  await openDemoRepository(page);
  const tab = await newTab(page, page.getByRole("main").getByRole("button", { name: "Open in VS Code" }));
  await expect(tab).toHaveURL(/\/vscode\//, { timeout: 180_000 });
  await expect(tab.getByText("first-steps.ipynb").first()).toBeAttached({ timeout: 120_000 });
  await tab.screenshot({ path: info.outputPath("vscode-phone.png") });
  await tab.close();
  await deleteSessions(page, cairn);
});

test("the dashboard's buttons start a session of a project in VS Code or in Jupyter @phone", async ({
  page,
  cairn,
  watch,
}, info) => {
  test.slow();
  watch.expects(...editorNoise);
  await openAs(page, people.researcher, "/sessions");
  const dialog = newSessionDialog(page);
  for (const [button, chosen] of [
    ["Jupyter", "Jupyter"],
    ["VSCode", "VS Code"],
  ] as const) {
    await page.getByRole("button", { name: button, exact: true }).click();
    await expect(dialog.getByRole("radio", { name: chosen, exact: true })).toBeChecked();
    await page.screenshot({ path: info.outputPath(`dialog-${button}.png`) });
    if (chosen === "Jupyter") await page.keyboard.press("Escape");
  }
  await expect(dialog).toContainText(demoProject);
  const tab = await newTab(page, dialog.getByRole("button", { name: "Create session" }));
  await expect(tab).toHaveURL(/\/vscode\/[0-9a-f-]{36}\//, { timeout: 180_000 });
  await expect(tab.getByText("first-steps.ipynb").first()).toBeAttached({ timeout: 120_000 });
  const session = sessionOf(tab);
  const origin = new URL(tab.url()).origin;
  await tab.close();
  await callAs(page, "PATCH", `/sessions/${session}?status=TERMINATED`);
  const status = async () => (await callAs<{ status: string }>(page, "GET", `/sessions/${session}`)).status;
  await expect.poll(status, { timeout: 60_000 }).toBe("TERMINATED");
  const launch = await page.context().newPage();
  await launch.goto(`${origin}/.cairn/s/${session}/launch`);
  await expect(launch.getByRole("link", { name: "Open in VS Code" })).toHaveAttribute("href", /vscode/);
  await launch.screenshot({ path: info.outputPath("launch.png") });
  await launch.close();
  await page.goto("/add"); // the dashboard may be asking about the session
  await deleteSessions(page, cairn);
});

test("without a project, the dashboard's buttons lead to the form that adds one", async ({ page, watch }, info) => {
  watch.expects(...editorNoise);
  await openAs(page, people.newcomer, "/sessions");
  await page.getByRole("button", { name: "VSCode", exact: true }).click();
  await page.screenshot({ path: info.outputPath("no-project.png") });
  await newSessionDialog(page).getByRole("link", { name: "Add a project" }).click();
  await expect(page).toHaveURL(/\/add\/project/);
});

// The task runs when its folder is opened, the other program whenever VS Code asks git for changes. Both may do what a cell of a notebook
// may, and nothing else.
test("what a workspace runs when it is opened stays in the box", async ({ page, cairn, watch }) => {
  test.slow();
  watch.expects(...editorNoise);
  await openAs(page, people.researcher, "/add");
  const tab = await openEditor(page);
  const session = sessionOf(tab);
  const outside = [`/tmp/cairn-outside-${session}`, `${cairn.dataDir}/outside`, "/usr/outside"];
  for (const name of ["task", "monitor"]) {
    const script = `#!/bin/sh\n{ id -u; hostname; for one in ${outside.join(" ")}; do touch "$one"; done; } >/session/work/ran-${name} 2>/dev/null\n`;
    put(cairn, session, `${name}.sh`, script);
  }
  const task = { label: "x", type: "shell", command: "sh /session/work/task.sh", runOptions: { runOn: "folderOpen" } };
  put(cairn, session, ".vscode/tasks.json", JSON.stringify({ version: "2.0.0", tasks: [task] }));
  put(
    cairn,
    session,
    ".vscode/settings.json",
    JSON.stringify({ "task.allowAutomaticTasks": "on", "git.openRepositoryInParentFolders": "always" }),
  );
  const config = `${workOf(cairn, session)}/first-steps/.git/config`;
  writeFileSync(config, `${readFileSync(config, "utf8")}[core]\n\tfsmonitor = sh /session/work/monitor.sh\n`);
  await tab.reload();
  await expect(tab.getByText("first-steps.ipynb").first()).toBeAttached({ timeout: 120_000 });
  const account = statSync(workOf(cairn, session)).uid;
  for (const name of ["task", "monitor"]) {
    const ran = () =>
      existsSync(`${workOf(cairn, session)}/ran-${name}`)
        ? readFileSync(`${workOf(cairn, session)}/ran-${name}`, "utf8")
        : "";
    await expect.poll(ran, { message: name, timeout: 60_000 }).toBe(`${account}\nsession\n`);
  }
  expect(outside.filter((one) => existsSync(one))).toEqual([]);
  await tab.close();
  await deleteSessions(page, cairn);
});
