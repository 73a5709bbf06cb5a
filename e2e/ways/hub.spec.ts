import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Page } from "@playwright/test";
import { callAs, startByCall } from "../support/calls";
import { hubTest } from "../support/hub-test";
import { openAs, people } from "../support/people";

import { binary } from "../support/server";
import { demoProject, newTab, openDemoRepository } from "../support/sessions";
import { expect } from "../support/test";
import { codeServer, editorNoise } from "../support/vscode";

const test = hubTest({ CAIRN_SESSIONS_VSCODE: codeServer, CAIRN_SESSIONS_SSH: "true" });

test.skip(process.getuid?.() !== 0, "a hub that gives each session a user of its own is root");

test("a session on a hub opens in VS Code as one here does", async ({ page, watch }, info) => {
  test.slow();
  watch.expects(...editorNoise);
  await openAs(page, people.researcher, "/add");
  const { sessions } = await callAs<{ sessions: { kinds: { can: string[]; interfaces: string[] }[] } }>(
    page,
    "GET",
    "/config",
  );
  const [hub, here] = sessions.kinds;
  expect(hub?.can).toEqual(expect.arrayContaining(["ssh", "vscode"]));
  expect([hub?.can, hub?.interfaces]).toEqual([here?.can, here?.interfaces]);

  await openDemoRepository(page);
  const tab = await newTab(page, page.getByRole("main").getByRole("button", { name: "Open in VS Code" }));
  await expect(tab).toHaveURL(/\/vscode\/[0-9a-f-]{36}\//, { timeout: 180_000 });
  await tab.getByRole("button", { name: "Run All" }).click({ timeout: 180_000 });
  await expect(tab.getByText("[2]", { exact: true }).first()).toBeAttached({ timeout: 180_000 });
  await expect(tab.locator(".part.statusbar").getByText(/^Memory \d/)).toBeVisible({ timeout: 60_000 });
  await tab.screenshot({ path: info.outputPath("vscode-hub.png") });
  await tab.close();
  for (const { id } of await callAs<{ id: string }[]>(page, "GET", "/sessions/"))
    await callAs(page, "DELETE", `/sessions/${id}`);
});

/** Connects cairn ssh with a session, and waits until the server in its box has spoken; ended resolves when the connection has. */
async function connect(url: string, session: string, token: string) {
  const program = spawn(binary, ["ssh", session], { env: { ...process.env, CAIRN_URL: url, CAIRN_TOKEN: token } });
  const ended = once(program, "exit");
  const [said] = await Promise.race([
    once(program.stdout, "data"),
    ended.then(() => [`it ended: ${program.stderr.read()}`]),
  ]);
  expect(String(said)).toMatch(/^SSH-2\.0-/);
  return { program, ended };
}

/** Starts a session from the demo's project, and returns its id once it runs. */
async function start(page: Page, name: string): Promise<string> {
  const id = await startByCall(page, demoProject, name);
  const status = async () => (await callAs<{ status: string }>(page, "GET", `/sessions/${id}`)).status;
  await expect.poll(status, { timeout: 120_000 }).toBe("RUNNING");
  return id;
}

test("a connection of cairn ssh with a hub's session ends with the right to it", async ({ page, cairn, browser }) => {
  test.slow();
  await openAs(page, people.researcher, "/add");
  const makeToken = () =>
    callAs<{ id: string; token: string }>(page, "POST", "/account/tokens", { name: "laptop", scopes: ["run"] });
  const [session, other] = [await start(page, "By SSH"), await start(page, "Another")];
  const [revoked, kept] = [await makeToken(), await makeToken()];
  const [first, second, third] = [
    await connect(cairn.url, session, revoked.token),
    await connect(cairn.url, session, kept.token),
    await connect(cairn.url, other, kept.token),
  ];
  await callAs(page, "DELETE", `/account/tokens/${revoked.id}`);
  await first.ended;
  expect(second.program.exitCode).toBeNull();
  await callAs(page, "PATCH", `/sessions/${session}?status=TERMINATED`);
  await second.ended;
  expect(third.program.exitCode).toBeNull();
  const operators = await (await browser.newContext({ baseURL: cairn.url })).newPage();
  await openAs(operators, people.operator, "/add");
  const account = `/accounts/${encodeURIComponent(people.researcher.email)}`;
  await callAs(operators, "PATCH", account, { enabled: false });
  await third.ended;
  await callAs(operators, "PATCH", account, { enabled: true });
  await operators.context().close();
});
