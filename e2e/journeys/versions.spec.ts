import type { Page } from "@playwright/test";
import { expectAccessible } from "../support/accessible";
import { callAs } from "../support/calls";
import { expectFiles, openNotebook, runCell, save } from "../support/jupyter";
import { openAs, people } from "../support/people";
import { CairnServer } from "../support/server";
import {
  deleteSession,
  fillDialog,
  newSessionDialog,
  newTab,
  openDemoRepository,
  sessionCard,
} from "../support/sessions";
import { test as base, expect } from "../support/test";

// A separate server, which saves versions often.
const test = base.extend<object, { cairn: CairnServer }>({
  cairn: [
    async ({}, use) => {
      const cairn = await CairnServer.start({ environment: { CAIRN_VERSIONS_EVERY: "10s" } });
      await use(cairn);
      await cairn.close();
    },
    { scope: "worker" },
  ],
});

const name = "Work that gets lost";
const file = "first-steps.ipynb";

interface Session {
  id: string;
  sessionName: string;
  status: string;
  versions?: number;
}

/** The session on the server. */
async function session(page: Page): Promise<Session> {
  const found = (await callAs<Session[]>(page, "GET", "/sessions")).find(({ sessionName }) => sessionName === name);
  if (!found) throw new Error(`There is no session ${name}`);
  return found;
}

/** The text of the notebook in the work folder, as Jupyter reads it now. */
async function notebookText(jupyter: Page): Promise<string> {
  return jupyter.evaluate(async (path) => {
    const base = location.pathname.replace(/\/(tree|notebooks|edit)\/.*$|\/(tree)$/, "");
    const answer = await fetch(`${base}/api/contents/${path}?content=1`);
    return answer.ok ? JSON.stringify((await answer.json()).content) : "";
  }, `first-steps/${file}`);
}

/** Waits until a version was saved after the last known one. */
async function savedAgain(page: Page, before: number | undefined): Promise<void> {
  await expect.poll(async () => (await session(page)).versions ?? 0, { timeout: 30_000 }).toBeGreaterThan(before ?? 0);
}

test("a notebook that is lost in three ways comes back in at most four clicks", async ({ page, cairn }) => {
  test.setTimeout(300_000);
  await openAs(page, people.researcher, "/sessions");
  await openDemoRepository(page);
  await fillDialog(page, name);
  const tree = await newTab(page, newSessionDialog(page).getByRole("button", { name: "Create session" }));
  await expectFiles(tree, "first-steps");
  await tree.goto(`${tree.url().replace(/\/tree.*$/, "")}/tree/first-steps`);
  const notebook = await openNotebook(tree, file);
  await runCell(notebook, 'print("the result of " + "a long day")', "the result of a long day");
  const unsaved = (await session(page)).versions;
  await save(notebook);
  await savedAgain(page, unsaved);
  await page.goto("/sessions");
  const restored = page.getByText("Restored", { exact: true });

  let clicks = 0;
  const click = async (target: ReturnType<Page["getByRole"]>) => {
    clicks += 1;
    await target.click();
  };

  await test.step("deleted in Jupyter", async () => {
    const { versions } = await session(page);
    await notebook.evaluate(async (path) => {
      const base = location.pathname.replace(/\/notebooks\/.*$/, "");
      const xsrf = /_xsrf=([^;]+)/.exec(document.cookie)?.[1] ?? "";
      await fetch(`${base}/api/contents/${path}`, { method: "DELETE", headers: { "X-XSRFToken": xsrf } });
    }, `first-steps/${file}`);
    await savedAgain(page, versions);
    clicks = 0;
    await click(sessionCard(page, name).getByRole("link", { name: `Saved versions of ${name}` }));
    await expectAccessible(page);
    const list = page.getByRole("navigation", { name: "Versions, newest first" });
    await click(list.getByRole("link").nth(1));
    await click(page.getByRole("button", { name: "Restore everything" }));
    await click(page.getByRole("button", { name: "Replace the present one" }));
    await expect(restored).toBeVisible();
    expect(clicks).toBeLessThanOrEqual(4);
    expect(await notebookText(tree)).toContain("the result of a long day");
  });

  await test.step("overwritten by an old tab", async () => {
    const { versions } = await session(page);
    // The tab of before still shows the notebook without what was restored, and saves it over the present one.
    await notebook.evaluate(async (path) => {
      const base = location.pathname.replace(/\/notebooks\/.*$/, "");
      const xsrf = /_xsrf=([^;]+)/.exec(document.cookie)?.[1] ?? "";
      const empty = { type: "notebook", format: "json", content: { cells: [], metadata: {}, nbformat: 4, nbformat_minor: 5 } };
      await fetch(`${base}/api/contents/${path}`, {
        method: "PUT",
        headers: { "X-XSRFToken": xsrf, "Content-Type": "application/json" },
        body: JSON.stringify(empty),
      });
    }, `first-steps/${file}`);
    await savedAgain(page, versions);
    await page.goto("/sessions");
    clicks = 0;
    await click(sessionCard(page, name).getByRole("link", { name: `Saved versions of ${name}` }));
    const list = page.getByRole("navigation", { name: "Versions, newest first" });
    await click(list.getByRole("link").nth(1));
    await click(page.getByRole("button", { name: "Restore everything" }));
    await click(page.getByRole("button", { name: "Replace the present one" }));
    await expect(restored).toBeVisible();
    expect(clicks).toBeLessThanOrEqual(4);
    expect(await notebookText(tree)).toContain("the result of a long day");
  });

  await test.step("its session deleted", async () => {
    await notebook.close();
    await tree.close();
    await page.goto("/sessions");
    await deleteSession(page, cairn, name);
    clicks = 0;
    await click(page.getByText(/^Recently deleted \(1\)$/));
    await expectAccessible(page);
    await click(page.getByRole("button", { name: `Undelete session ${name}` }));
    const card = sessionCard(page, name);
    const again = await (async () => {
      clicks += 1;
      return newTab(page, card.getByRole("button", { name: "Restart" }));
    })();
    await expectFiles(again, "first-steps");
    expect(clicks).toBeLessThanOrEqual(4);
    expect(await notebookText(again)).toContain("the result of a long day");
  });
});
