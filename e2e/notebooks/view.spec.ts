import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { expectAccessible } from "../support/accessible";
import { callAs } from "../support/calls";
import { openAs, people } from "../support/people";
import { entry, expect, expectAccessibleFrame, frameAddress, idOf, test, view } from "./fixtures";
import { notebookOf } from "./source";

const bundled = new URL("../../internal/site/demo/notebooks/kuramoto-oscillators.ipynb", import.meta.url);

test("a notebook that ships with the server shows with its text, formulas, code and plots", async ({ page }) => {
  await page.goto("/resources?resourceTypes=NOTEBOOK&searchText=oscillators");
  const link = page.getByRole("link", { name: "Oscillators that fall into step" });
  await page.goto((await link.getAttribute("href")) ?? "");
  const { section, frame, inside } = view(page);
  const download = page.waitForEvent("download");
  await page.getByRole("group", { name: "Actions" }).getByRole("link", { name: "Download" }).click();
  expect(await readFile(await (await download).path())).toEqual(readFileSync(bundled));
  await section.scrollIntoViewIfNeeded();
  await expect(section).toContainText("Python");
  await expect(section).toContainText(`${Math.round(readFileSync(bundled).length / 1024)} KiB`);
  await expect(frame).toHaveAttribute("title", "Notebook Oscillators that fall into step");
  await expect(frame).toHaveAttribute("sandbox", "allow-scripts allow-popups allow-popups-to-escape-sandbox");
  expect(await frame.evaluate((element) => element.getBoundingClientRect().height)).toBe(800);

  await expect(inside.getByRole("heading", { level: 1 })).toHaveText("Oscillators that fall into step");
  await expect(inside.locator("math").first()).toBeVisible();
  await expect(inside.getByText("import numpy as np")).toBeVisible();
  const plots = inside.getByRole("main").locator('img[src^="data:image/"]');
  await plots.first().scrollIntoViewIfNeeded();
  const narrowest = () =>
    plots.evaluateAll((images) => Math.min(...images.map((image) => (image as HTMLImageElement).naturalWidth)));
  await expect.poll(narrowest).toBeGreaterThan(100);
  const overflow = () => document.documentElement.scrollWidth - document.documentElement.clientWidth;
  expect(await page.evaluate(overflow)).toBe(0);
  expect(await inside.locator("html").evaluate(overflow), "wide code and plots scroll in their own place").toBeLessThanOrEqual(0);
  await expectAccessible(page);
  await expectAccessibleFrame(page.context(), (await frame.getAttribute("src")) ?? "");
});

test("a notebook at GitHub is told while it is read, and its parts are one link apart @all", async ({
  page,
  cairn,
  github,
  watch,
}) => {
  watch.expects(/status of 503/); // on a machine that needs longer than the server waits per request
  const held: ServerResponse[] = [];
  const path = github.serve("My first.ipynb", (response) => held.push(response));
  const code = { type: "REPOSITORY", notebookPath: undefined, repositoryUrl: "https://github.com/maker/notes" };
  await cairn.import(entry("Notes", "", code), entry("Many cells", path));
  await page.goto(`/resources/notebooks/${await idOf(cairn, "Many cells")}`);
  const { section, frame, inside } = view(page);
  await expect(section.getByRole("status")).toHaveText("Reading the notebook");
  const source = section.getByRole("link", { name: "My first.ipynb" });
  await expect(source).toHaveAttribute("href", path);
  await expect(source).toHaveAttribute("target", "_blank");
  await expect(frame).toHaveCount(0);
  await expectAccessible(page);

  const texts = Array.from({ length: 1100 }, (_, index) => `Cell number ${index + 1}`);
  await expect.poll(() => held.length).toBe(1);
  held[0]?.end(notebookOf(...texts));
  await expect(inside.getByText("Cell number 1", { exact: true })).toBeVisible();
  await expect(section.getByRole("status")).toHaveCount(0);
  await expect(section).toContainText("Julia");
  await expect(section).not.toContainText("as of");
  await expect(page.getByRole("link", { name: "Use in a project" })).toHaveAttribute("href", /^\/add\/project\?repositoryId=[0-9a-f-]{36}$/);
  const parts = inside.getByRole("navigation", { name: "Parts of the notebook" }).first();
  await expect(parts).toContainText("Part 1 of 3");
  await expect(inside.getByRole("listitem").filter({ hasText: "so it is shown in 3 parts." })).toBeVisible();
  await expect(parts.getByRole("link")).toHaveText(["Next part"]);
  // By keyboard.
  await parts.getByRole("link", { name: "Next part" }).focus();
  await page.keyboard.press("Enter");
  await expect(parts).toContainText("Part 2 of 3");
  await expect(parts.getByRole("link")).toHaveText(["Previous part", "Next part"]);
  await parts.getByRole("link", { name: "Next part" }).click();
  await expect(inside.getByText("Cell number 1100", { exact: true })).toBeVisible();
  await expect(parts.getByRole("link")).toHaveText(["Previous part"]);
  await page.evaluate(() => history.back());
  await expect(parts).toContainText("Part 2 of 3");

  await test.step("an old copy is told from when it is", async () => {
    await page.route(/\/notebook$/, async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ response: answer, json: { ...(await answer.json()), stale: "GitHub is busy.", fetchedAt: "2026-01-02T12:00:00Z" } });
    });
    await page.reload();
    await section.scrollIntoViewIfNeeded();
    await expect(section).toContainText(/as of .*2026/);
    await expectAccessible(page);
  });
});

test("a failure says what happened and what to do, and Retry shows the notebook in its place @all", async ({
  page,
  cairn,
  github,
  watch,
}) => {
  watch.expects(/status of (404|422)/);
  const failures: [string, (response: ServerResponse) => void][] = [
    ["answers 404 Not Found", (response) => response.writeHead(404).end()],
    ["a web page, not a notebook", (response) => response.end("<!doctype html><title>Sign in</title>")],
  ];
  const name = "Failing";
  const path = github.serve("failing.ipynb", (response) => response.writeHead(404).end());
  await cairn.import(entry(name, path));
  const id = await idOf(cairn, name);
  const { section, inside } = view(page);
  const failed = section.getByRole("alert");
  const retry = failed.getByRole("button", { name: "Retry" });
  // The server asks a failing source at most every three seconds; until then Retry gets the same answer.
  const expectServed = (text: string) =>
    expect.poll(async () => (await fetch(`${cairn.url}/api/v1/rf/resources/public/${id}/notebook`)).text()).toContain(text);
  for (const [at, [because, answer]] of failures.entries()) {
    github.serve("failing.ipynb", answer);
    await expectServed(because);
    await (at === 0 ? page.goto(`/resources/notebooks/${id}`) : retry.click());
    await expect(failed).toContainText(because);
    await expect(failed).toContainText("The notebook cannot be shown.");
    await expect(failed.getByRole("link", { name: "Open the source" })).toHaveAttribute("href", path);
  }
  await expectAccessible(page);
  // A frame that is embedded elsewhere says the same, and can be reopened from there.
  const frame = await page.context().newPage();
  await frame.goto(await frameAddress(cairn, id));
  await expect(frame.getByRole("heading", { name: "The notebook cannot be shown" })).toBeVisible();
  await expectAccessibleFrame(page.context(), frame.url());
  github.serve("failing.ipynb", notebookOf("All is well"));
  await expectServed("notebookFrameUrl");
  await frame.getByRole("link", { name: "Retry" }).click();
  await expect(frame.getByText("All is well")).toBeVisible();
  await frame.close();

  await retry.focus();
  await page.keyboard.press("Enter");
  await expect(inside.getByText("All is well")).toBeVisible();
  await expect(failed).toHaveCount(0);
});

test("a private notebook shows to its author, and its address opens nothing once it is gone", async ({
  page,
  cairn,
  github,
  watch,
}) => {
  const name = "A secret";
  const path = github.serve("secret.ipynb", notebookOf("A private thought"));
  await cairn.import(entry(name, path, { privacy: "PRIVATE", authors: [people.researcher.email] }));
  await openAs(page, people.researcher, "/add");
  let found: { id: string }[] = [];
  await expect
    .poll(async () => {
      const query = `/resources/public?type=NOTEBOOK&tag=&nameSearch=${encodeURIComponent(name)}`;
      found = (await callAs<{ content: { id: string }[] }>(page, "GET", query)).content;
      return found.length;
    })
    .toBe(1);
  const id = found[0]?.id ?? "";
  await page.goto(`/resources/notebooks/${id}`);
  const { frame, inside } = view(page);
  await expect(inside.getByText("A private thought")).toBeVisible();
  const address = (await frame.getAttribute("src")) ?? "";
  const download = page.waitForEvent("download");
  await page.getByRole("group", { name: "Actions" }).getByRole("link", { name: "Download" }).click();
  expect(await readFile(await (await download).path(), "utf8")).toContain("A private thought");

  // It opens with its signature alone, without a cookie or token.
  const other = await page.context().newPage();
  await other.goto(address);
  await expect(other.getByText("A private thought")).toBeVisible();
  await other.goto(address.replace(/signature=../, "signature=xx"));
  await expect(other.getByRole("heading", { name: "Nothing here" })).toBeVisible();
  watch.expects(/status of 404/);
  await callAs(page, "DELETE", `/resources/${id}`);
  await other.goto(address);
  await expect(other.getByRole("heading", { name: "Nothing here" })).toBeVisible();
  await expectAccessibleFrame(page.context(), address);
});
