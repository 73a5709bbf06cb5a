import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Page } from "@playwright/test";
import { expectAccessible, expectNoSidewaysScroll } from "../support/accessible";
import { callAs } from "../support/calls";
import { Gitea, giteaPassword } from "../support/gitea";
import { openAs, people } from "../support/people";
import { processesBelow } from "../support/processes";
import { CairnServer } from "../support/server";
import { expectNothingRuns } from "../support/sessions";
import { expect, test as base } from "../support/test";

const me = people.researcher.email;
const name = "Songs that nobody has heard";
const descriptor = `project:
  name: ${name}
  description: Recordings of humpbacks before they are published.
  authors: [${me}]
  tags: [secretspecies]
  privacy: PUBLIC
`;
const notebook = JSON.stringify({
  nbformat: 4,
  nbformat_minor: 5,
  metadata: { kernelspec: { name: "python3", display_name: "Python 3", language: "python" } },
  cells: [{ cell_type: "code", id: "a", source: "print('sung')", metadata: {}, outputs: [], execution_count: null }],
});

/** A real Gitea with a private repository, and a server that knows it. */
const test = base.extend<object, { gitea: Gitea }>({
  gitea: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright wants one.
    async ({}, use) => {
      const gitea = await Gitea.start();
      await gitea.addPerson("robin");
      await gitea.call("POST", "/user/repos", {
        name: "whales",
        private: true,
        auto_init: true,
        default_branch: "main",
      });
      for (const [path, content] of Object.entries({ "cairn.yml": descriptor, "songs.ipynb": notebook })) {
        const body = { content: Buffer.from(content).toString("base64"), message: "Add a file", branch: "main" };
        await gitea.call("POST", `/repos/lab/whales/contents/${path}`, body);
      }
      await use(gitea);
      await gitea.end();
    },
    { scope: "worker" },
  ],
  cairn: [
    async ({ gitea }, use, worker) => {
      const application = { name: "Cairn", redirect_uris: ["http://127.0.0.1/"], confidential_client: true };
      const made = await gitea.call<{ id: number; client_id: string; client_secret: string }>(
        "POST",
        "/user/applications/oauth2",
        application,
      );
      const folder = worker.project.outputDir;
      const [secret, config] = [join(folder, "..", "gitea-secret"), join(folder, "..", "gitea.yaml")];
      await writeFile(secret, made.client_secret, { mode: 0o600 });
      await writeFile(
        config,
        `outgoing: {allow: [127.0.0.0/8]}
codehosts:
  - {kind: gitea, url: "${gitea.url}", name: Gitea, recheck: 10s, oauth: {client_id: ${made.client_id}, client_secret_file: ${secret}}}
`,
      );
      const cairn = await CairnServer.start({ flags: ["--config", config] });
      // Which address the browser comes back to is known now. The secret is made anew.
      const back = { ...application, redirect_uris: [`${cairn.url}/account/connected`] };
      const changed = await gitea.call<{ client_secret: string }>(
        "PATCH",
        `/user/applications/oauth2/${made.id}`,
        back,
      );
      await writeFile(secret, changed.client_secret, { mode: 0o600 });
      await cairn.restart();
      await use(cairn);
      await cairn.close();
    },
    { scope: "worker", timeout: 300_000 },
  ],
});

/** Lets or doesn't let Robin read the repository at its host. */
async function letIn(gitea: Gitea, may: boolean): Promise<void> {
  await gitea.call(
    may ? "PUT" : "DELETE",
    "/repos/lab/whales/collaborators/robin",
    may ? { permission: "read" } : undefined,
  );
}

/** Everything below a folder and in the processes of sessions that has a text. */
async function placesOf(text: string, folder: string): Promise<string[]> {
  const found = await promisify(execFile)("grep", ["-rlaF", "--", text, folder]).catch(() => ({ stdout: "" }));
  const places = found.stdout.split("\n").filter(Boolean);
  for (const { pid } of await processesBelow(folder)) {
    for (const part of ["environ", "cmdline"]) {
      const said = await readFile(`/proc/${pid}/${part}`).catch(() => Buffer.alloc(0));
      if (said.includes(text)) places.push(`/proc/${pid}/${part}`);
    }
  }
  return places;
}

async function expectLooksRight(page: Page): Promise<void> {
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
}

test("somebody connects, adds a private repository, runs it and loses access", async ({
  page,
  cairn,
  gitea,
  watch,
}, info) => {
  test.slow();
  watch.expects(/status of 4\d\d/);
  watch.visits(gitea.url);
  await letIn(gitea, true);
  const look = (label: string) => page.screenshot({ path: info.outputPath(`${label}.png`), fullPage: true });
  await openAs(page, people.researcher, "/account/connections");
  const row = page.getByRole("listitem").filter({ has: page.getByRole("heading", { name: "Gitea" }) });

  await test.step("a private repository can't be added yet, and the page says what to do", async () => {
    await page.goto("/add/repo");
    await page.getByLabel("GitHub URL").fill(`${gitea.url}/lab/whales`);
    await page.getByRole("button", { name: "Pull cairn.yml" }).click();
    await expect(page.getByRole("link", { name: "Connect your account at Gitea" })).toBeVisible();
    await look("hint");
    await page.getByRole("link", { name: "Connect your account at Gitea" }).click();
  });

  await test.step("OAuth: the host asks, and the page shows what was really granted", async () => {
    await expect(row).toContainText("Not connected");
    await expectLooksRight(page);
    await row.getByRole("button", { name: "Connect: Gitea" }).click();
    await page.getByLabel(/username/i).fill("robin");
    await page.getByLabel(/password/i).fill(giteaPassword);
    await page.getByRole("button", { name: /sign in/i }).click();
    await page.getByRole("button", { name: /authorize/i }).click();
    await expect(page).toHaveURL("/account/connections");
    const review = page.getByRole("region", { name: "Keep this connection with Gitea?" });
    await expect(review).toContainText("robin");
    await expect(review).toContainText("Read the repositories that you can read");
    await expect(review).not.toContainText("Everything that you may do there");
    await expectLooksRight(page);
    await look("review");
    await review.getByRole("button", { name: "Keep it: Gitea", exact: true }).click();
    await expect(row).toContainText("Connected as robin");
  });

  await test.step("disconnecting says what may be left", async () => {
    await row.getByRole("button", { name: "Disconnect" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Disconnect" }).click();
    await expect(page.getByText("What you granted may still be valid at Gitea.")).toBeVisible();
    await expect(row).toContainText("Not connected");
  });

  const canary = await gitea.token("robin", "read:repository,read:user");
  await test.step("a personal token", async () => {
    await row.getByRole("button", { name: "Use a personal token: Gitea" }).click();
    await page.getByRole("textbox", { name: "Personal token" }).fill(canary);
    await look("token");
    await page.getByRole("button", { name: "Check the token" }).click();
    await page.getByRole("button", { name: "Keep it: Gitea", exact: true }).click();
    await expect(row).toContainText("Connected as robin");
    await look("connected");
  });

  let entry = "";
  await test.step("the private repository is added", async () => {
    await page.goto("/add/repo");
    await page.getByLabel("GitHub URL").fill(`${gitea.url}/lab/whales`);
    await page.getByRole("button", { name: "Pull cairn.yml" }).click();
    await expect(page.getByText(/This repository is private at/)).toBeVisible();
    await expectLooksRight(page);
    await look("add");
    await page.getByRole("button", { name: "Add Repository" }).click();
    await expect(page.getByText("Repository created successfully")).toBeVisible();
    const [found] = await callAs<{ id: string }[]>(page, "GET", "/resources/public/search?name=songs");
    entry = `/resources/repositories/${found?.id}`;
    await page.goto(entry);
    await expect(page.getByRole("heading", { level: 1, name })).toBeVisible();
    await page.getByRole("heading", { name: "Files", exact: true }).scrollIntoViewIfNeeded();
    await expect(page.getByRole("rowheader", { name: "songs.ipynb" })).toBeVisible();
    await expectLooksRight(page);
    await look("entry");
  });

  await test.step("a colleague without a connection, and a stranger, find nothing", async () => {
    const other = await page.context().browser()?.newContext({ baseURL: cairn.url });
    if (!other) throw new Error("there is no browser");
    const theirs = await other.newPage();
    for (const signsIn of [false, true]) {
      if (signsIn) await openAs(theirs, people.colleague, "/resources");
      await theirs.goto("/resources?searchText=humpbacks");
      await expect(theirs.getByText(name)).toHaveCount(0);
      await theirs.goto(entry);
      await expect(theirs.getByText(name)).toHaveCount(0);
    }
    await other.close();
  });

  let session = "";
  await test.step("a session of it has the files, and no token", async () => {
    const started = await callAs<{ id: string }>(page, "POST", "/sessions", { resourceId: entry.split("/").at(-1) });
    session = started.id;
    const state = async () => {
      const { status, statusReason } = await callAs<{ status: string; statusReason?: string }>(
        page,
        "GET",
        `/sessions/${session}`,
      );
      return `${status} ${statusReason ?? ""}`.trim();
    };
    await expect.poll(state, { timeout: 240_000 }).toMatch(/^(RUNNING|ERROR)/);
    expect(await state()).toBe("RUNNING");
    expect((await placesOf("print('sung')", cairn.dataDir)).some((path) => path.includes(session))).toBe(true);
    expect(await placesOf(canary, cairn.dataDir)).toEqual([]);
    expect(await placesOf(Buffer.from(canary).toString("base64").slice(0, 40), cairn.dataDir)).toEqual([]);
    const backup = join(cairn.dataDir, "backup");
    await cairn.command("backup", backup);
    expect(await placesOf(canary, backup)).toEqual([]);
    expect(cairn.output).not.toContain(canary);
    for (const path of ["/account/connections", `/sessions/${session}`, "/account/activity"]) {
      expect(JSON.stringify(await callAs(page, "GET", path))).not.toContain(canary);
    }
  });

  await test.step("access is withdrawn: the entry closes, and the session stays", async () => {
    await letIn(gitea, false);
    await expect
      .poll(
        async () => {
          await page.goto(entry);
          await expect(page.getByRole("heading", { level: 1, name })).toBeVisible();
          const closed = page.getByText("This entry is closed to you now");
          return closed.waitFor({ timeout: 5_000 }).then(
            () => 1,
            () => 0,
          );
        },
        { timeout: 120_000, intervals: [2_000] },
      )
      .toBe(1);
    await expect(page.getByText(/Gitea has no repository/)).toBeVisible();
    await expect(page.getByText("humpbacks")).toHaveCount(0);
    await expectLooksRight(page);
    await look("closed");
    const refused = await page.request.get(`${cairn.url}/api/v1/rf/resources/public/${entry.split("/").at(-1)}/files`);
    expect(refused.status()).toBe(404);
    expect((await callAs<{ status: string }>(page, "GET", `/sessions/${session}`)).status).toBe("RUNNING");
    await callAs(page, "DELETE", `/sessions/${session}`);
    await expectNothingRuns(cairn);
  });

  await test.step("once everybody can read it, the page offers to publish the entry", async () => {
    await letIn(gitea, true);
    await gitea.call("PATCH", "/repos/lab/whales", { private: false });
    await expect
      .poll(
        async () => {
          await page.goto(entry);
          const offer = page.getByRole("button", { name: "Publish this entry" });
          return offer.waitFor({ timeout: 10_000 }).then(
            () => 1,
            () => 0,
          );
        },
        { timeout: 180_000, intervals: [5_000] },
      )
      .toBe(1);
    await look("publish");
  });
});
