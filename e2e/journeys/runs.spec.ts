import type { Page } from "@playwright/test";
import { expectAccessible, expectNoSidewaysScroll } from "../support/accessible";
import { callAs } from "../support/calls";
import { card } from "../support/catalog";
import { openAs, people } from "../support/people";
import { addFiles } from "../support/repository";
import { CairnServer } from "../support/server";
import { expect, test as base } from "../support/test";

const test = base.extend<object, { cairn: CairnServer }>({
  cairn: [
    async ({}, use) => {
      const cairn = await CairnServer.start({ environment: { CAIRN_RUNS_PER_DAY: "10" } });
      await addFiles(cairn, notebooks);
      await use(cairn);
      await cairn.close();
    },
    { scope: "worker" },
  ],
});

/** A notebook with one cell, and what its author's run of it printed. */
function notebook(source: string, printed: string): string {
  const outputs = [{ output_type: "stream", name: "stdout", text: printed }];
  const cells = [{ cell_type: "code", id: "only", metadata: {}, execution_count: 1, source, outputs }];
  return JSON.stringify({
    ...{ nbformat: 4, nbformat_minor: 5, cells },
    metadata: { kernelspec: { name: "python3", display_name: "Python 3" }, language_info: { name: "python" } },
  });
}

const notebooks = {
  "clean.ipynb": notebook("print(1 + 1)", "2\n"),
  "differing.ipynb": notebook("print(1 + 1)", "3\n"),
  "endless.ipynb": notebook("import time\nwhile True: time.sleep(1)", ""),
  "failing.ipynb": notebook('raise ValueError("no such river in all of this country, nor in the next")', "4\n"),
};

interface RunPage {
  content: { state: string; reason?: string }[];
}

/** Runs a notebook of an entry, and waits until the run has ended. */
async function run(page: Page, id: string, file: string): Promise<void> {
  await callAs(page, "POST", `/resources/${id}/runs`, { file });
  await expect
    .poll(
      async () => {
        const { content } = await callAs<RunPage>(page, "GET", `/resources/public/${id}/runs`);
        return content.map(({ state, reason }) => (state === "STOPPED" ? reason : state)).at(0);
      },
      { timeout: 120_000 },
    )
    .toBe("DONE");
}

test("readers see how an entry ran, and its authors run it again", async ({ page }) => {
  test.slow(); // four runs, one after the other
  await openAs(page, people.researcher, "/resources?searchText=first+steps");
  const [entry] = await callAs<{ id: string }[]>(page, "GET", "/resources/public/search?type=REPOSITORY&name=first+steps");
  const id = entry?.id ?? "";
  const badge = card(page, "First steps");
  const runs = page.getByRole("region", { name: "Runs", exact: true });

  await test.step("it ran clean", async () => {
    await run(page, id, "clean.ipynb");
    await page.reload();
    await expect(badge).toContainText("Ran clean just now in");
    await page.getByLabel("Last run").selectOption("ran clean (1)");
    await expect(page).toHaveURL(/runs=clean/);
    await expect(badge).toBeVisible();
  });

  await test.step("one of its outputs differs", async () => {
    await run(page, id, "differing.ipynb");
    await page.goto(`/resources/repositories/${id}#runs`);
    await expect(page.getByRole("main")).toContainText("1 of 1 output differs");
    await expect(runs.getByLabel("The author's output of code cell 1")).toHaveText("3");
    await expect(runs.getByLabel("This run's output of code cell 1")).toHaveText("2");
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
  });

  await test.step("its crate is cited with its own address, the day and the commit", async () => {
    await runs.getByRole("button", { name: "Cite this run" }).click();
    const dialog = page.getByRole("dialog", { name: "Cite this run" });
    await expect(dialog).toContainText(/title = \{\{Run of differing\.ipynb of First steps on \d{4}-\d\d-\d\d\}\}/);
    await expect(dialog).toContainText(/version = \{[0-9a-f]{40}\}/);
    await expectAccessible(page);
    const [, address = ""] = /url = \{(.+)\}/.exec(await dialog.innerText()) ?? [];
    const crate = await page.request.get(address);
    expect([crate.status(), crate.headers()["content-type"]]).toEqual([200, "application/zip"]);
    await page.keyboard.press("Escape");
  });

  await test.step("it failed", async () => {
    await run(page, id, "failing.ipynb");
    await page.reload();
    await page.getByRole("link", { name: "Runs", exact: true }).click();
    await expect(runs.getByRole("region", { name: "Log" })).toContainText("ValueError: no such river");
    await expect(runs.getByRole("radio")).toHaveCount(3);
    // Whoever starts a session of it knows before.
    const warning = page.getByText(/^The last run of this entry failed: .*no such river/);
    await expect(warning).toBeVisible();
    await expectAccessible(page);
    await page.setViewportSize({ width: 390, height: 844 });
    await expectNoSidewaysScroll(page);
  });

  await test.step("an author runs it again", async () => {
    await runs.getByRole("button", { name: "Run again" }).click();
    await expect(runs.getByRole("button", { name: "Stop" })).toBeVisible();
    await expect(runs.getByRole("button", { name: "Run again" })).toBeVisible({ timeout: 120_000 });
    await expect(runs.getByRole("radio")).toHaveCount(4);
  });

  await test.step("and stops one that doesn't end", async () => {
    await callAs(page, "POST", `/resources/${id}/runs`, { file: "endless.ipynb" });
    await page.reload();
    await page.getByRole("link", { name: "Runs", exact: true }).click();
    await expect(runs).toContainText("Code cell 1 of 1", { timeout: 120_000 });
    await runs.getByRole("button", { name: "Stop" }).click();
    await expect(runs.getByRole("radio", { name: /^Stopped, / })).toBeChecked();
  });
});
