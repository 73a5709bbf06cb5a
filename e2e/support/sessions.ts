import { join } from "node:path";
import { type BrowserContext, type Download, expect, type Locator, type Page } from "@playwright/test";
import { processesBelow } from "./processes";
import type { CairnServer } from "./server";

export const demoProject = "First steps with spikes and argon";

/** The labels of the launch page, in order. */
export const launchSteps = [
  "Queued",
  "Copy the repository",
  "Connect the datasets",
  "Prepare the environment",
  "Start Jupyter",
  "Ready",
];

/** The name that the dialog proposes: the date in the browser's format, the project, and "Session". */
export async function defaultName(page: Page): Promise<string> {
  return `${await page.evaluate(() => new Date().toLocaleDateString())} ${demoProject} Session`;
}

/** Goes from the catalog to the entry of the bundled repository, and waits until it is fully loaded. */
export async function openDemoRepository(page: Page): Promise<void> {
  await page.goto("/resources?resourceTypes=REPOSITORY&searchText=first+steps");
  const address = await page.getByRole("link", { name: "First steps", exact: true }).getAttribute("href");
  await page.goto(address ?? "");
  await expect(page.getByRole("heading", { level: 1, name: "First steps" })).toBeVisible();
  await expect(page.getByRole("region", { name: "About" })).toContainText("first-steps.ipynb");
  // The files load lazily, and would move what is below them away from a click.
  await page.getByRole("heading", { name: "Files", exact: true }).scrollIntoViewIfNeeded();
  await expect(page.getByRole("rowheader", { name: "README.md" })).toBeVisible();
  await expect(page.getByRole("article", { name: "README.md" })).toBeVisible();
  await page.evaluate(() => window.scrollTo(0, 0));
}

/** The projects on the page of an entry. */
export function associatedProjects(page: Page): Locator {
  return page.getByRole("region", { name: "Associated Projects" });
}

/** The card of the demo project below "Associated Projects". */
export function demoProjectCard(page: Page): Locator {
  return associatedProjects(page).getByRole("article", { name: demoProject });
}

/** The button that starts a project, on the page of its repository or on the dashboard. */
export function startButton(page: Page, project: string = demoProject): Locator {
  return projectCard(page, project).getByRole("button", { name: "Start Project Session" });
}

export function projectCard(page: Page, project: string): Locator {
  return page.getByRole("article", { name: project, exact: true });
}

/** Opens the dialog from a project's card, and keeps the proposed name or enters another. */
export async function fillDialog(page: Page, name?: string, project: string = demoProject): Promise<void> {
  await startButton(page, project).click();
  const field = newSessionDialog(page).getByRole("textbox", { name: "Session name" });
  if (name === undefined) await expect(field).toHaveValue(await defaultName(page));
  else await field.fill(name);
}

export function newSessionDialog(page: Page): Locator {
  return page.getByRole("dialog", { name: "New session" });
}

/** Clicks something that opens a new tab, and returns the tab. Meanwhile the page briefly shows a toast. */
export async function newTab(page: Page, control: Locator, says?: string): Promise<Page> {
  const opened = page.context().waitForEvent("page");
  const said = says !== undefined && expect(page.getByText(says)).toBeVisible();
  const [tab] = await Promise.all([opened, said, control.click()]);
  return tab;
}

export function sessionCard(page: Page, name: string): Locator {
  return page.getByRole("article", { name, exact: true });
}

export async function expectStatus(page: Page, name: string, status: string): Promise<void> {
  await expect(sessionCard(page, name).getByText(status, { exact: true })).toBeVisible({ timeout: 60_000 });
}

/** Opens the dialog that deletes a session on the dashboard, and types the name. */
export async function typeName(page: Page, name: string): Promise<void> {
  await sessionCard(page, name).getByRole("button", { name: `Delete session ${name}` }).click();
  const dialog = page.getByRole("dialog", { name: "Delete session" });
  const confirm = dialog.getByRole("button", { name: "Delete", exact: true });
  await expect(confirm).toBeDisabled();
  await dialog.getByRole("textbox").fill(name.slice(0, -1));
  await expect(confirm).toBeDisabled();
  await dialog.getByRole("textbox").fill(name);
  await confirm.click();
}

/** Deletes a session on the dashboard and waits until none of its processes runs. */
export async function deleteSession(page: Page, cairn: CairnServer, name: string): Promise<void> {
  await typeName(page, name);
  await expect(sessionCard(page, name)).toHaveCount(0);
  await expect(page.getByText("Session deleted")).toBeVisible();
  await expectNothingRuns(cairn);
}

/** Clicks "Download work" on the card of a session and returns the downloaded file. */
export async function downloadWork(page: Page, name: string): Promise<Download> {
  const download = page.waitForEvent("download");
  await sessionCard(page, name).getByRole("button", { name: "Download work" }).click();
  return download;
}

/** Filters the dashboard by a state, or "All". */
export async function showSessions(page: Page, state: string): Promise<void> {
  const button = page.getByRole("group", { name: "Show sessions in state" }).getByRole("button", { name: state, exact: true });
  await button.click();
  await expect(button).toHaveAttribute("aria-pressed", "true");
}

/** Deletes all sessions on the dashboard, without waiting until they are gone. */
export async function deleteAllSessions(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Delete All" }).click();
  const dialog = page.getByRole("dialog", { name: "Delete all sessions" });
  const confirm = dialog.getByRole("button", { name: "Delete All" });
  await dialog.getByRole("textbox").fill("Delete all sessions");
  await expect(confirm).toBeDisabled();
  await dialog.getByRole("textbox").fill("delete all sessions");
  await confirm.click();
}

/** Waits until no process of this server's sessions is left. */
export async function expectNothingRuns(cairn: CairnServer): Promise<void> {
  await expect.poll(() => sessionProcesses(cairn)).toEqual([]);
}

/** The command lines of the processes in sessions, without the server's. */
export async function sessionProcesses(cairn: CairnServer): Promise<string[]> {
  return (await processesBelow(join(cairn.dataDir, "sessions"))).map(({ command }) => command);
}

/**
 * Records what the launch pages of this context show: the heading, and the longest list of steps. On a fast machine they
 * are visible only for a moment.
 */
export async function watchLaunches(context: BrowserContext): Promise<{ headings: string[]; steps: string[] }> {
  const seen = { headings: [] as string[], steps: [] as string[] };
  await context.exposeBinding("tellOfLaunch", (_, heading: string, steps: string[]) => {
    if (!seen.headings.includes(heading)) seen.headings.push(heading);
    if (steps.length > seen.steps.length) seen.steps = steps;
  });
  await context.addInitScript(() => {
    if (!location.pathname.endsWith("/launch")) return;
    const { tellOfLaunch } = window as unknown as { tellOfLaunch: (heading: string, steps: string[]) => void };
    const tell = () => {
      const heading = document.querySelector("h1")?.innerText ?? "";
      const steps = document.querySelectorAll<HTMLElement>('[aria-label="Steps of the launch"] .label');
      if (steps.length > 0) tellOfLaunch(heading, [...steps].map((step) => step.innerText));
    };
    new MutationObserver(tell).observe(document, { childList: true, subtree: true });
  });
  return seen;
}

interface Seen {
  /** The event that was being handled each time a page opened a tab; undefined if there was none. */
  openedDuring: (string | undefined)[];
  /** The documents loaded in tabs that a page opened, and whether they could reach that page. */
  documents: { origin: string; path: string; opener: boolean }[];
}

/** Records the tabs that this context's pages open from now on, and what is loaded in them. Reloading a page resets it. */
export async function watchTabs(context: BrowserContext): Promise<Seen> {
  const seen: Seen = { openedDuring: [], documents: [] };
  const known = new Set(context.pages());
  await context.exposeBinding("tellOfDocument", ({ page, frame }, document: Seen["documents"][number]) => {
    if (!known.has(page) && frame === page.mainFrame()) seen.documents.push(document);
  });
  await context.exposeBinding("tellOfTab", (_, during?: string) => {
    seen.openedDuring.push(during);
  });
  await context.addInitScript(() => {
    // A tab starts with an empty document.
    if (location.protocol === "about:") return;
    const { tellOfDocument } = window as unknown as { tellOfDocument: (document: Seen["documents"][number]) => void };
    tellOfDocument({ origin: location.origin, path: location.pathname, opener: window.opener !== null });
  });
  for (const page of known) {
    await page.evaluate(() => {
      const { open, tellOfTab } = window as unknown as { open: Window["open"]; tellOfTab: (during?: string) => void };
      window.open = (...address) => {
        tellOfTab(window.event?.type);
        return open.apply(window, address);
      };
    });
  }
  return seen;
}

/** Writes a file beside the open notebook of a session, as Jupyter's page does, and returns the status of the answer. */
export async function writeBeside(notebook: Page, file: string, content: string): Promise<number> {
  return notebook.evaluate(
    async ([file, content]) => {
      const address = location.pathname.replace("/notebooks/", "/api/contents/").replace(/[^/]+\.ipynb$/, file);
      const xsrf = /_xsrf=([^;]+)/.exec(document.cookie)?.[1] ?? "";
      const answer = await fetch(address, {
        method: "PUT",
        headers: { "X-XSRFToken": xsrf, "Content-Type": "application/json" },
        body: JSON.stringify({ type: "file", format: "text", content }),
      });
      return answer.status;
    },
    [file, content] as const,
  );
}
