import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expectAccessible, expectNoSidewaysScroll } from "../support/accessible";
import { startByCall } from "../support/calls";
import { expectFiles } from "../support/jupyter";
import { openAs, people } from "../support/people";
import { CairnServer } from "../support/server";
import {
  deleteAllSessions,
  demoProject,
  expectNothingRuns,
  expectStatus,
  fillDialog,
  newSessionDialog,
  newTab,
  sessionCard,
} from "../support/sessions";
import { test as base, expect } from "../support/test";

/** A server with room for one session of 64 MiB, where everybody may have three. */
const test = base.extend<object, { cairn: CairnServer }>({
  cairn: [
    async ({}, use) => {
      const cairn = await CairnServer.start({
        environment: {
          ...{ CAIRN_SESSIONS_CAPACITY: "1", CAIRN_SESSIONS_LIMIT: "3" },
          ...{ CAIRN_SESSIONS_DISK: "64MiB", CAIRN_SESSIONS_KEEP: "720h" },
        },
      });
      await use(cairn);
      await cairn.close();
    },
    { scope: "worker" },
  ],
});

test("what there is no room for waits with its place, may be taken out, and starts by itself; a full disk is told @all", async ({
  page,
  cairn,
  watch,
}) => {
  await openAs(page, people.researcher, "/sessions");
  await fillDialog(page, "First");
  await expect(newSessionDialog(page)).not.toContainText("Usually ready");
  const tab = await newTab(page, newSessionDialog(page).getByRole("button", { name: "Create session" }));
  await expectFiles(tab, "first-steps", "data");
  await expectStatus(page, "First", "RUNNING");
  // The server checks the sessions' files periodically; the warning is there by the time the others have waited.
  const sessions = join(cairn.dataDir, "sessions", "local");
  const [id = ""] = await readdir(sessions);
  await writeFile(join(sessions, id, "work", "big.bin"), Buffer.alloc(70 * 2 ** 20, 1));

  await test.step("the card tells how long it has", async () => {
    await expect(sessionCard(page, "First")).toContainText(/Stops in \d+ (minutes|hours) if idle\./);
  });

  await test.step("the dialog tells how long a start takes, from those that there were", async () => {
    await page.reload();
    await fillDialog(page);
    await expect(newSessionDialog(page)).toContainText(/Usually ready in \d+ seconds?\./);
    await page.keyboard.press("Escape");
  });

  await test.step("others wait in their order, and count", async () => {
    await startByCall(page, demoProject, "Second");
    await startByCall(page, demoProject, "Third");
    await expect(sessionCard(page, "Second")).toContainText("Number 1 in the queue.");
    await expect(sessionCard(page, "Third")).toContainText("Number 2 in the queue.");
    await expectStatus(page, "Third", "CREATED");
    await expect(page.getByText("3 of 3 in use")).toBeVisible();
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
  });

  await test.step("who is taken out makes room for the next", async () => {
    await sessionCard(page, "Second").getByRole("button", { name: "Cancel" }).click();
    await expect(page.getByText("Session terminated")).toBeVisible();
    await expectStatus(page, "Second", "TERMINATED");
    await expect(sessionCard(page, "Third")).toContainText("Number 1 in the queue.");
    await expect(page.getByText("2 of 3 in use")).toBeVisible();
  });

  await test.step("above the limit nothing starts, and the number is named", async () => {
    watch.expects(/status of 409 /, /The session cannot be opened/);
    await startByCall(page, demoProject, "Fourth");
    await expect(page.getByText("3 of 3 in use")).toBeVisible();
    await fillDialog(page, "Fifth");
    const create = newSessionDialog(page).getByRole("button", { name: "Create session" });
    const restart = sessionCard(page, "Second").getByRole("button", { name: "Restart" });
    for (const [control, title] of [
      [create, "Error starting session"],
      [restart, "Error resuming session"],
    ] as const) {
      const refused = await newTab(page, control);
      for (const shown of [page, refused]) {
        const alert = shown.getByRole("alert").filter({ has: shown.getByText(title, { exact: true }) });
        await expect(alert).toContainText(/\b3\b/);
      }
      await refused.close();
    }
    await expectStatus(page, "Second", "TERMINATED");
    await expect(restart).toBeEnabled();
  });

  await test.step("the card warns of a full disk", async () => {
    const warning = /session's files take 7\d(\.\d)? MiB, more than the 64 MiB/;
    await expect(sessionCard(page, "First")).toContainText(warning, { timeout: 180_000 });
  });

  await test.step("the next starts when the first has stopped, whose card says how long its work is kept", async () => {
    await sessionCard(page, "First").getByRole("button", { name: "Terminate" }).click();
    await expectStatus(page, "First", "TERMINATED");
    await expect(sessionCard(page, "First")).toContainText(/Its work is kept at least until .*20\d\d\./);
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
    await expectStatus(page, "Third", "RUNNING");
    await expect(sessionCard(page, "Third")).not.toContainText("queue");
    await tab.close();
  });

  await deleteAllSessions(page);
  await expect(page.getByText("No sessions found.")).toBeVisible();
  await expectNothingRuns(cairn);
});
