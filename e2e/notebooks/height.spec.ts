import type { Page } from "@playwright/test";
import { expectAccessible } from "../support/accessible";
import type { CairnServer } from "../support/server";
import { entry, expect, expectAccessibleFrame, idOf, test, view } from "./fixtures";
import { notebookOf, type RawFiles } from "./source";

const long = notebookOf("# Long", ...Array.from({ length: 100 }, (_, index) => `Cell number ${index + 1}`), "The end");

/** Opens the page of a long notebook, and waits until its frame has told its height. */
async function openLong(page: Page, cairn: CairnServer, github: RawFiles, name: string) {
  await cairn.import(entry(name, github.serve(`${name}.ipynb`, long)));
  await page.goto(`/resources/notebooks/${await idOf(cairn, name)}`);
  const { section, frame, inside } = view(page);
  await frame.scrollIntoViewIfNeeded();
  await expect(section.getByRole("button", { name: "Show all" })).toBeVisible();
  const height = () => frame.evaluate((element) => element.getBoundingClientRect().height);
  const scrolled = () => page.evaluate(() => scrollY);
  const scrolledInside = () => inside.locator("html").evaluate((element) => element.scrollTop);
  return { section, frame, inside, height, scrolled, scrolledInside };
}

test("a long notebook shows whole on request, and alone in a tab @all", async ({ page, cairn, github }) => {
  const { section, frame, inside, height, scrolled } = await openLong(page, cairn, github, "Whole");
  expect(await height()).toBe(800);
  await section.getByRole("button", { name: "Show all" }).click();
  await expect.poll(height).toBeGreaterThan(3000);
  const hidden = () => inside.locator("html").evaluate((element) => element.scrollHeight - element.clientHeight);
  expect(await hidden(), "nothing is left to scroll inside").toBe(0);
  await expectAccessible(page);
  await frame.evaluate((element) => element.scrollIntoView({ block: "end", behavior: "instant" }));
  await expect(section.getByRole("button", { name: "Show less" })).toBeInViewport();
  const below = await scrolled();
  expect(below).toBeGreaterThan(3000);
  await section.getByRole("button", { name: "Show less" }).click();
  await expect.poll(height).toBe(800);
  await expect.poll(scrolled).toBeLessThan(below - 1500);
  await expect(frame).toBeInViewport({ ratio: 0.5 });

  const opened = page.waitForEvent("popup");
  await section.getByRole("link", { name: "Open full page" }).click();
  const tab = await opened;
  await expect(tab.getByRole("heading", { level: 1, name: "Long" })).toBeVisible();
  await tab.mouse.move(200, 200);
  await tab.mouse.wheel(0, 400);
  await expect.poll(() => tab.evaluate(() => scrollY), "the wheel is the notebook's, alone in a tab").toBeGreaterThan(0);
});

test("the wheel scrolls the page until the frame is clicked, and again once it is left @desktop @all", async ({ page, cairn, github }) => {
  const { section, frame, scrolled, scrolledInside } = await openLong(page, cairn, github, "Wheel");
  await frame.evaluate((element) => element.scrollIntoView({ block: "end", behavior: "instant" }));
  await frame.hover();
  const before = await scrolled();
  await page.mouse.wheel(0, 60);
  await expect.poll(scrolled).toBeGreaterThan(before);
  expect(await scrolledInside()).toBe(0);

  await frame.click({ position: { x: 8, y: 300 } });
  const clicked = await scrolled();
  await page.mouse.wheel(0, 200);
  await expect.poll(scrolledInside).toBeGreaterThan(0);
  expect(await scrolled()).toBe(clicked);

  await section.getByRole("heading", { name: "Notebook" }).click();
  const left = await scrolledInside();
  await frame.hover();
  await page.mouse.wheel(0, -60);
  await expect.poll(scrolled).toBeLessThan(clicked);
  expect(await scrolledInside()).toBe(left);
});

test("only the frame tells its height, and only a possible one @all", async ({ page, cairn, github }) => {
  const { section, height } = await openLong(page, cairn, github, "Told");
  await section.getByRole("button", { name: "Show all" }).click();
  await expect.poll(height).toBeGreaterThan(3000);
  const own = await height();
  const notebook = page.frames().find((frame) => frame.url().includes("/n/"));
  const post = (data: unknown) => parent.postMessage(data, "*");
  // From the page itself, and from another frame of it.
  await page.evaluate(() => postMessage(5000, "*"));
  await page.evaluate(() => document.body.append(document.createElement("iframe")));
  await page.frames().at(-1)?.evaluate(post, 5000);
  for (const data of [-5000, 200_001, Number.POSITIVE_INFINITY, Number.NaN, "5000", [5000], { height: 5000 }, null]) {
    await notebook?.evaluate(post, data);
  }
  expect(await height()).toBe(own);
  // Messages come in order: those before have been read.
  await notebook?.evaluate(post, 4321);
  await expect.poll(height).toBe(4321);
});

test("the outline leads to its headings, inside the frame, in a whole one, and alone in a tab @all", async ({ page, cairn, github }) => {
  const filler = (from: number) => Array.from({ length: 40 }, (_, index) => `Cell number ${from + index}`);
  const notebook = notebookOf("# Title", ...filler(1), "## The *first* step", ...filler(41), "## The last step", ...filler(81));
  await cairn.import(entry("Outlined", github.serve("outlined.ipynb", notebook)));
  await page.goto(`/resources/notebooks/${await idOf(cairn, "Outlined")}`);
  const { section, frame, inside } = view(page);
  await frame.scrollIntoViewIfNeeded();
  const outline = inside.getByRole("navigation", { name: "Outline" });
  await outline.getByText("Outline").click();
  await expect(outline.getByRole("link")).toHaveText(["Title", "The first step", "The last step"]);
  await outline.getByRole("link", { name: "The first step" }).click();
  const [first, last] = ["first", "last"].map((which) => inside.getByRole("heading", { name: `The ${which} step` }));
  await expect(first ?? page.locator("none")).toBeInViewport();
  await expectAccessibleFrame(page.context(), (await frame.getAttribute("src")) ?? "");

  await section.getByRole("button", { name: "Show all" }).click();
  await inside.locator("html").evaluate((element) => element.scrollTo(0, 0));
  await frame.evaluate((element) => element.scrollIntoView({ behavior: "instant" }));
  await outline.getByRole("link", { name: "The last step" }).click();
  const fromTop = async () => ((await last?.boundingBox())?.y ?? 0) / (page.viewportSize()?.height ?? 1);
  await expect.poll(fromTop).toBeLessThan(0.4);
  expect(await fromTop()).toBeGreaterThan(0);

  const opened = page.waitForEvent("popup");
  await section.getByRole("link", { name: "Open full page" }).click();
  const tab = await opened;
  await tab.getByRole("link", { name: "The last step" }).click();
  await expect(tab.getByRole("heading", { name: "The last step" })).toBeInViewport();
  await expect(tab.getByRole("link", { name: "Outlined in the catalog" })).toHaveAttribute("href", page.url());
  await expectAccessibleFrame(page.context(), tab.url());
});

test("the full page has all parts of a notebook, and goes on paper unfolded @all", async ({ page, cairn, github }) => {
  const rows = Array.from({ length: 60 }, (_, index) => `<tr><th>${index}</th><td>value ${index}</td></tr>`).join("");
  const lines = Array.from({ length: 90 }, (_, index) => `line ${index}\n`);
  const outputs = [
    { output_type: "execute_result", execution_count: 1, metadata: {}, data: { "text/html": `<table><thead><tr><th></th><th>x</th></tr></thead>${rows}</table>` } },
    { output_type: "stream", name: "stdout", text: lines },
  ];
  const text = (source: string) => ({ cell_type: "markdown", metadata: {}, source });
  const cells = [
    { cell_type: "code", execution_count: 1, metadata: {}, source: "frame", outputs },
    ...Array.from({ length: 600 }, (_, index) => text(index % 200 ? `Text ${index}` : `# Chapter ${index / 200}`)),
  ];
  const notebook = JSON.stringify({ nbformat: 4, nbformat_minor: 5, metadata: {}, cells });
  await cairn.import(entry("On paper", github.serve("paper.ipynb", notebook)));
  await page.goto(`/resources/notebooks/${await idOf(cairn, "On paper")}`);
  const { section, frame, inside } = view(page);
  await frame.scrollIntoViewIfNeeded();
  await expect(inside.getByRole("navigation", { name: "Parts of the notebook" }).first()).toContainText("Part 1 of 2");
  const opened = page.waitForEvent("popup");
  await section.getByRole("link", { name: "Open full page" }).click();
  const tab = await opened;
  await expect(tab.getByText("Text 599")).toBeAttached();
  await expect(tab.getByRole("link", { name: /^Chapter/ })).toHaveText(["Chapter 0", "Chapter 1", "Chapter 2"]);
  await expect(tab.getByText("so it is shown in")).toHaveCount(0);

  const row = (number: number) => tab.getByRole("cell", { name: `value ${number}`, exact: true });
  await expect(row(9)).toBeVisible();
  await expect(row(10)).toBeHidden();
  await tab.getByText("All 60 rows").click();
  await expect(row(59)).toBeVisible();
  await tab.getByText("All 60 rows").click();
  await expect(row(10)).toBeHidden();

  await tab.emulateMedia({ media: "print" });
  await expect(row(59)).toBeVisible();
  const shown = (text: string) => tab.getByText(text).last().evaluate((element) => element.checkVisibility({ contentVisibilityAuto: true }));
  expect(await shown("line 89")).toBe(true);
  await expect(tab.getByText("All 60 rows")).toBeHidden();
  await expect(tab.getByRole("navigation", { name: "Outline" })).toBeHidden();
  const pages = (await tab.pdf()).toString("latin1").match(/\/Type \/Page\b/g) ?? [];
  expect(pages.length, "600 texts fill more than a few sheets").toBeGreaterThan(10);
});
