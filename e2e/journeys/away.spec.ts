import { existsSync, readFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import { folderOf, insert, type OpenNotebook, printed, put, run, runLast, signal, waiting } from "../support/away";
import { expectAccessible } from "../support/accessible";
import { callAs } from "../support/calls";
import { openAs, people } from "../support/people";
import { newTab, openDemoRepository } from "../support/sessions";
import { expect, test } from "../support/test";

const runButton = (page: Page) => page.getByRole("main").getByRole("button", { name: "Run", exact: true });

/** The texts of a notebook's outputs, of its last cell. */
const outputsOf = (cell: { outputs: { text?: string | string[]; data?: Record<string, string | string[]> }[] }) =>
  cell.outputs.map(({ text, data }) => [text ?? data?.["text/plain"] ?? ""].flat().join(""));

declare const Jupyter: { notebook: OpenNotebook };

test("what cells print while no page is open is there afterwards, once and in order", async ({ page, cairn }, info) => {
  test.slow();
  await openAs(page, people.researcher, "/add");
  await openDemoRepository(page);
  const tab = await newTab(page, runButton(page));
  await expect(tab).toHaveURL(/\.ipynb$/, { timeout: 180_000 });
  await expect(tab.locator("#kernel_indicator_icon.kernel_idle_icon")).toBeAttached({ timeout: 180_000 });
  const [{ id: session } = { id: "" }] = await callAs<{ id: string }[]>(page, "GET", "/sessions/");
  const cells = () => JSON.parse(readFileSync(`${folderOf(cairn, session)}/first-steps.ipynb`, "utf8")).cells;
  const last = (notebook: Page) => notebook.locator(".code_cell").last();
  const address = tab.url();
  const shown = async (notebook: Page) => (await last(notebook).locator(".output_text pre").allTextContents()).join("");

  await run(tab, waiting("one"), "first");
  await tab.close({ runBeforeUnload: false });

  const again = await page.context().newPage();
  await test.step("a cell that still runs goes on in the next page", async () => {
    await again.goto(address);
    await expect(last(again).locator(".input_prompt")).toContainText("*");
    await expect(last(again).locator(".output_text pre")).toHaveText("first\n");
    await expect(again.locator("#notification_trusted")).toHaveText("Trusted"); // the file, into which it was written
    signal(cairn, session, "one");
    await expect(last(again).locator(".output_result")).toContainText("done");
    expect(await shown(again)).toBe(`${printed}'done'`);
    await expect(last(again).locator(".cairn-note")).toHaveCount(0);
  });

  await test.step("one that ends while nobody is there is in the file, and says so", async () => {
    await insert(again, waiting("two"));
    await again.keyboard.press("Escape");
    await again.evaluate(() => Jupyter.notebook.save_notebook());
    await expect(again.locator(".autosave_status")).toHaveText("(autosaved)");
    await runLast(again, "first");
    await again.close({ runBeforeUnload: false });
    // Once the session has noticed that the page is gone, it writes into the file itself, before somebody reads it.
    const third = await page.context().newPage();
    const read = async () => (await third.goto(address.replace("/notebooks/", "/api/contents/")))?.json();
    await expect.poll(async () => outputsOf((await read()).content.cells.at(-1))).toEqual(["first\n"]);
    signal(cairn, session, "two");
    await expect.poll(() => outputsOf(cells().at(-1)), { timeout: 30_000 }).toEqual([printed, "'done'"]);
    await third.goto(address);
    await expect(last(third).locator(".cairn-note")).toHaveText(/^Finished while you were away, in \d+ s\.$/);
    expect(await shown(third)).toBe(`${printed}'done'`);
    await third.screenshot({ path: info.outputPath("away.png") });
    await third.setViewportSize({ width: 390, height: 800 });
    await third.screenshot({ path: info.outputPath("away-phone.png") });
    await third.close({ runBeforeUnload: false });
  });

  await test.step("a question is asked again, and can be answered", async () => {
    const fourth = await page.context().newPage();
    await fourth.goto(address);
    await expect(fourth.locator("#kernel_indicator_icon.kernel_idle_icon")).toBeAttached();
    await fourth.evaluate(() => {
      Jupyter.notebook.insert_cell_at_bottom("code").set_text("print('hello', input('Who? '))");
      Jupyter.notebook.execute_cells([Jupyter.notebook.ncells() - 1]);
    });
    await expect(last(fourth).locator("input.raw_input")).toBeVisible();
    await fourth.close({ runBeforeUnload: false });
    const fifth = await page.context().newPage();
    await fifth.goto(address);
    await expect(last(fifth).locator(".cairn-note")).toHaveText("This cell is waiting for your input.");
    await last(fifth).locator("input.raw_input").fill("Ann");
    await last(fifth).locator("input.raw_input").press("Enter");
    await expect(last(fifth).locator(".output_text pre").last()).toContainText("hello Ann");
    await fifth.close({ runBeforeUnload: false });
  });

  await test.step("stopping the session writes what is left into the file", async () => {
    const sixth = await page.context().newPage();
    await sixth.goto(address);
    await expect(sixth.locator("#kernel_indicator_icon.kernel_idle_icon")).toBeAttached();
    await run(sixth, `${waiting("never")}\n`, "first");
    await sixth.close({ runBeforeUnload: false });
    await callAs(page, "PATCH", `/sessions/${session}?status=TERMINATED`);
    const status = async () => (await callAs<{ status: string }>(page, "GET", `/sessions/${session}`)).status;
    await expect.poll(status, { timeout: 60_000 }).toBe("TERMINATED");
    expect(outputsOf(cells().at(-1))).toEqual(["first\n", "The kernel ended before this cell had finished.\n"]);
  });
  await page.goto("/add");
  await callAs(page, "DELETE", `/sessions/${session}`);
});

test("a notebook runs to its end while its page is closed and the server is killed", async ({ page, cairn }, info) => {
  test.slow();
  await openAs(page, people.researcher, "/add");
  await openDemoRepository(page);
  const tab = await newTab(page, runButton(page));
  await expect(tab).toHaveURL(/\.ipynb$/, { timeout: 180_000 });
  const [{ id: session } = { id: "" }] = await callAs<{ id: string }[]>(page, "GET", "/sessions/");
  const folder = folderOf(cairn, session);
  const code = (at: number) => `
import os, time
open("log", "a").write("${at}\\n")
while ${at} in (3, 9) and not os.path.exists("go-${at}"): time.sleep(0.02)
print("output of ${at}")`;
  const book = {
    cells: Array.from({ length: 20 }, (_, at) => ({
      ...{ cell_type: "code", id: `cell-${at}`, metadata: {}, source: code(at), outputs: [], execution_count: null },
    })),
    metadata: { kernelspec: { name: "python3", display_name: "Python 3", language: "python" } },
    ...{ nbformat: 4, nbformat_minor: 5 },
  };
  put(cairn, session, "long.ipynb", JSON.stringify(book));
  const log = () => (existsSync(`${folder}/log`) ? readFileSync(`${folder}/log`, "utf8").trim().split("\n") : []);
  const outputs = () =>
    JSON.parse(readFileSync(`${folder}/long.ipynb`, "utf8")).cells.map((cell: Parameters<typeof outputsOf>[0]) =>
      outputsOf(cell).join(""),
    );

  await tab.goto(tab.url().replace("first-steps.ipynb", "long.ipynb"));
  await expect(tab.locator("#kernel_indicator_icon.kernel_idle_icon")).toBeAttached({ timeout: 180_000 });
  await tab.getByRole("button", { name: "Run to the end" }).click();
  const bar = tab.getByRole("region", { name: "Session" });
  await expect(bar.getByRole("status")).toHaveText(/^Running to the end: cell 4 of 20/, { timeout: 60_000 });
  await tab.screenshot({ path: info.outputPath("running.png") });
  await tab.setViewportSize({ width: 390, height: 800 });
  await tab.screenshot({ path: info.outputPath("running-phone.png") });
  await expect(tab.locator(".code_cell").nth(2).locator(".output_text pre")).toHaveText("output of 2\n");
  await tab.close({ runBeforeUnload: false });
  signal(cairn, session, "go-3");
  await expect.poll(log).toContain("9");
  await page.goto("/sessions");
  const card = page.getByRole("article").first();
  await expect(card.getByRole("status")).toHaveText(/^Running long\.ipynb to the end: cell 10 of 20/, {
    timeout: 60_000,
  });
  await expectAccessible(page);
  await page.screenshot({ path: info.outputPath("card.png") });
  await page.setViewportSize({ width: 390, height: 800 });
  await page.screenshot({ path: info.outputPath("card-phone.png") });
  await page.goto("about:blank");
  await cairn.kill9();
  await cairn.restart();
  await page.goto("/add");
  signal(cairn, session, "go-9");
  await expect.poll(log, { timeout: 60_000 }).toEqual(Array.from({ length: 20 }, (_, at) => `${at}`));
  const job = async () =>
    (await callAs<{ content: { state: string; cells: object }[] }>(page, "GET", "/jobs")).content[0];
  await expect.poll(job, { timeout: 60_000 }).toMatchObject({ state: "DONE", cells: { total: 20, done: 20 } });
  expect(outputs()).toEqual(Array.from({ length: 20 }, (_, at) => `output of ${at}\n`));
  const { content: versions } = await callAs<{ content: { name?: string }[] }>(
    page,
    "GET",
    `/sessions/${session}/versions`,
  );
  expect(versions.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["Before “long.ipynb” ran to the end", "After “long.ipynb” ran to the end"]),
  );
  await page.goto("/sessions");
  await expect(card.getByRole("status")).toHaveText(/^long\.ipynb ran to the end in \d/);
  await card.getByRole("button", { name: "Dismiss what is said of long.ipynb" }).click();
  await expect(card.getByRole("status")).toHaveCount(0);
  await page.goto("/add");
  await callAs(page, "DELETE", `/sessions/${session}`);
});
