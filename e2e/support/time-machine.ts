import type { Locator, Page } from "@playwright/test";
import { expectAccessible } from "./accessible";
import { callAs } from "./calls";
import { expectFiles, openNotebook, runCell, save } from "./jupyter";
import { openAs, people } from "./people";
import {
  deleteAllSessions,
  fillDialog,
  newSessionDialog,
  newTab,
  openDemoRepository,
  sessionCard,
  typeName,
} from "./sessions";
import { expect, test } from "./test";

const name = "Work that gets lost";
const file = "first-steps.ipynb";
const path = `first-steps/${file}`;

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
  return jupyter.evaluate(async (path: string) => {
    const base = location.pathname.replace(/\/(tree|notebooks)(\/.*)?$/, "");
    const answer = await fetch(`${base}/api/contents/${path}?content=1`);
    return answer.ok ? JSON.stringify((await answer.json()).content) : `${answer.status} ${await answer.text()}`;
  }, path);
}

/** Waits until a version was saved after the last known one. */
async function savedAgain(page: Page, before: number | undefined): Promise<void> {
  await expect.poll(async () => (await session(page)).versions ?? 0, { timeout: 120_000 }).toBeGreaterThan(before ?? 0);
}

/** Calls Jupyter's contents as its page does; `body` is what is saved. Returns the status. */
async function contents(jupyter: Page, method: "PUT" | "DELETE", body?: object): Promise<number> {
  return jupyter.evaluate(
    async ({ path, method, body }) => {
      const base = location.pathname.replace(/\/(tree|notebooks)(\/.*)?$/, "");
      const xsrf = /_xsrf=([^;]+)/.exec(document.cookie)?.[1] ?? "";
      const answer = await fetch(`${base}/api/contents/${path}`, {
        method,
        headers: { "X-XSRFToken": xsrf, "Content-Type": "application/json" },
        ...(body && { body: JSON.stringify(body) }),
      });
      return answer.status;
    },
    { path, method, body },
  );
}

/** The notebook without its cells, as a tab that shows an old state saves it over the present one. */
const emptied = { type: "notebook", format: "json", content: { cells: [], metadata: {}, nbformat: 4, nbformat_minor: 5 } };

/** Loses a notebook in three ways and brings it back, on the default engine; nothing of its sessions runs afterwards. */
export async function loseAndBringBack(page: Page, expectNothingRuns: () => Promise<void>): Promise<void> {
  await openAs(page, people.researcher, "/sessions");
  await openDemoRepository(page);
  await fillDialog(page, name);
  const tree = await newTab(page, newSessionDialog(page).getByRole("button", { name: "Create session" }));
  await expectFiles(tree, "first-steps");
  await tree.goto(`${tree.url().replace(/\/tree.*$/, "")}/tree/first-steps`);
  const notebook = await openNotebook(tree, file);
  const unsaved = (await session(page)).versions;
  await runCell(notebook, 'print("the result of " + "a long day")', "the result of a long day");
  await save(notebook);
  await savedAgain(page, unsaved);

  const restored = page.getByText("Restored", { exact: true });
  let clicks = 0;
  const click = async (target: Locator) => {
    clicks += 1;
    await target.click();
  };
  const bringBack = async () => {
    await page.goto("/sessions");
    const { versions } = await session(page);
    clicks = 0;
    await click(sessionCard(page, name).getByRole("link", { name: `Saved versions of ${name}` }));
    const list = page.getByRole("navigation", { name: "Versions, newest first" });
    // The one before the last that changed files; others have settings alone.
    await click(list.getByRole("link", { name: /\d (new|changed|deleted)/ }).nth(1));
    await click(page.getByRole("button", { name: "Restore everything" }));
    await click(page.getByRole("button", { name: "Replace", exact: true }));
    await expect(restored).toBeVisible();
    expect(clicks).toBeLessThanOrEqual(4);
    expect(await notebookText(tree)).toContain("the result of a long day");
    await savedAgain(page, versions);
  };

  await test.step("overwritten by an old tab, which can't do it again", async () => {
    const { versions } = await session(page);
    expect(await contents(notebook, "PUT", emptied)).toBe(200);
    await savedAgain(page, versions);
    await bringBack();
    expect(await contents(notebook, "PUT", emptied)).toBe(409);
    expect(await notebookText(tree)).toContain("the result of a long day");
  });

  await test.step("deleted in Jupyter", async () => {
    const { versions } = await session(page);
    expect(await contents(tree, "DELETE")).toBe(204);
    await savedAgain(page, versions);
    await bringBack();
    await expectAccessible(page);
  });

  await test.step("its session deleted", async () => {
    await notebook.close();
    await tree.close();
    await page.goto("/sessions");
    await typeName(page, name);
    await expect(sessionCard(page, name)).toHaveCount(0);
    await expectNothingRuns();
    clicks = 0;
    await click(page.getByText(/^Recently deleted \(1\)$/));
    await click(page.getByRole("button", { name: `Undelete session ${name}` }));
    clicks += 1;
    const again = await newTab(page, sessionCard(page, name).getByRole("button", { name: "Restart" }));
    await expectFiles(again, "first-steps");
    expect(clicks).toBeLessThanOrEqual(4);
    expect(await notebookText(again)).toContain("the result of a long day");
    await again.close();
  });

  await test.step("a version opens in a new session", async () => {
    await sessionCard(page, name).getByRole("link", { name: `Saved versions of ${name}` }).click();
    const opened = await newTab(page, page.getByRole("button", { name: "Open in a new session" }));
    await expectFiles(opened, "first-steps");
    expect(await notebookText(opened)).toContain("the result of a long day");
    await opened.close();
  });

  await test.step("all sessions deleted at once can be undeleted", async () => {
    await page.goto("/sessions");
    await deleteAllSessions(page);
    await page.getByText(/^Recently deleted \(2\)$/).click();
    await page.getByRole("button", { name: `Undelete session ${name}`, exact: true }).click();
    await expect(sessionCard(page, name)).toContainText("TERMINATED");
  });

  await test.step("and they are gone for good when their owner says so", async () => {
    const deleted = await callAs<Session[]>(page, "GET", "/sessions?status=DELETED");
    for (const { id } of [await session(page), ...deleted]) await callAs(page, "DELETE", `/sessions/${id}?now=true`);
    await expectNothingRuns();
    expect(await callAs<Session[]>(page, "GET", "/sessions?status=DELETED")).toEqual([]);
  });
}
