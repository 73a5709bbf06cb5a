import { readFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import { callAs } from "../support/calls";
import { expectIdle, runAll, runCell } from "../support/jupyter";
import { openAs, people } from "../support/people";
import type { CairnServer } from "../support/server";
import { expectNothingRuns, newTab } from "../support/sessions";
import { expect, test } from "../support/test";

interface Line {
  kind: string;
  externalId: string;
  type: string;
  name: string;
  version?: string;
  repositoryUrl?: string;
}

const entries = readFileSync(new URL("../../internal/site/demo/catalog.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Line)
  .filter(({ kind }) => kind === "resource");

const atGitHub = ({ repositoryUrl = "" }: Line) => repositoryUrl.startsWith("https://github.com/");

const folders: Record<string, string> = { REPOSITORY: "repositories", DATASET: "datasets", NOTEBOOK: "notebooks", MODEL: "models" };

async function pathTo(cairn: CairnServer, { type, name }: Line): Promise<string> {
  const answer = await fetch(`${cairn.url}/api/v1/rf/resources/public?type=${type}&pageSize=100`);
  const { content } = (await answer.json()) as { content: { id: string; name: string }[] };
  return `/resources/${folders[type]}/${content.find((each) => each.name === name)?.id}`;
}

/** Runs an entry from its page and returns the tab that opens. */
async function run(page: Page, path: string): Promise<Page> {
  await openAs(page, people.researcher, path);
  return newTab(page, page.getByRole("main").getByRole("button", { name: "Run", exact: true }));
}

/** Deletes what a test started, whatever became of it. */
async function deleteSessions(page: Page): Promise<void> {
  const sessions = await callAs<{ id: string }[]>(page, "GET", "/sessions/");
  for (const { id } of sessions) await callAs(page, "DELETE", `/sessions/${id}`);
}

test("the demo has all its entries @all @desktop", () => {
  expect(entries).toHaveLength(40);
});

for (const entry of entries.filter(({ type }) => type === "MODEL")) {
  test(`${entry.name} leads to a page that says what it is @all @desktop`, async ({ page, cairn }) => {
    await page.goto(await pathTo(cairn, entry));
    const create = page.getByRole("link", { name: `Create ${entry.name} (${entry.version}) in the demo workflow platform` });
    const platform = await newTab(page, create);
    await expect(platform.getByRole("heading", { level: 1, name: `Create ${entry.name} (${entry.version})` })).toBeVisible();
    await expect(platform.getByText("This is a demo page")).toBeVisible();
  });
}

for (const entry of entries.filter((each) => each.type !== "MODEL" && !atGitHub(each))) {
  test(`${entry.name} is computed and plotted @all @desktop`, async ({ page, cairn, watch }) => {
    watch.expects(/about:blank/); // a font that the formulas of Jupyter look for
    const notebook = await run(page, await pathTo(cairn, entry));
    await expectIdle(notebook);
    await runAll(notebook);
    await expect(notebook.locator(".output_png img").first()).toBeAttached();
    await notebook.close();
    await deleteSessions(page);
    await expectNothingRuns(cairn);
  });
}

// With the internet they start, and with what their authors ask for that takes a while.
for (const entry of entries.filter(atGitHub)) {
  test(`${entry.name} computes, or says that it needs the internet @all @desktop`, async ({ page, cairn, watch }) => {
    test.setTimeout(900_000);
    watch.expects(/status of (429|50[23])/); // of its files, which are at GitHub, where many entries of the demo have used the share
    const tab = await run(page, await pathTo(cairn, entry));
    const away = tab.getByText("copying the repository needs the internet").first();
    const jupyter = tab.locator("#notebook, #notebook_list, #texteditor-container").first();
    await expect(away.or(jupyter)).toBeVisible({ timeout: 800_000 });
    if (await tab.locator("#notebook").isVisible()) {
      await expectIdle(tab);
      await runCell(tab, "print(6 * 7)", "42");
    }
    await tab.close();
    await deleteSessions(page);
    await expectNothingRuns(cairn);
  });
}
