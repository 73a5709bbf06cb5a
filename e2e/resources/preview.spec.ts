import { createHash } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Locator, Page } from "@playwright/test";
import { hostileNames } from "../catalog/entries";
import { expectAccessible, expectNoSidewaysScroll } from "../support/accessible";
import { callAs } from "../support/calls";
import { gate } from "../support/catalog";
import { expectHarmless, refuseDialogs } from "../support/harmless";
import { openAs, people } from "../support/people";
import { CairnServer } from "../support/server";
import { expect, test as base } from "../support/test";

/** A name that runs as script unless it is escaped, one that reverses the text direction, and a very long one. */
const fileNames = [...hostileNames.filter((name) => !name.includes("/")), "long-".repeat(48)].map((name) => `${name}.csv`);

const hostileTable = [
  `when,${hostileNames.map((name) => `"${name.replaceAll('"', '""')} column"`).join(",")},value`,
  ...Array.from({ length: 120 }, (_, row) => {
    const day = new Date(Date.UTC(2026, 0, 1 + row)).toISOString().slice(0, 10);
    return [day, ...hostileNames.map((name) => `"${name.replaceAll('"', '""')} ${row}"`), row === 50 ? 999 : row % 7].join(",");
  }),
].join("\n");

const files: Record<string, string> = {
  ...Object.fromEntries(fileNames.map((name) => [`hostile/${name}`, hostileTable])),
  "mixed/deep/deeper/points.tsv": "x\ty\n1\t2\n",
  "mixed/README.md": "# Mixed <script>window.taken=1</script>\n\n[go](javascript:window.taken=1) ![p](https://pictures.example.org/x.png)",
  "mixed/notes.txt": "<b>plain</b> text",
  "mixed/nothing.csv": "",
  "mixed/picture.png": "\u0089PNG\u0000",
  "mixed/pretends.csv": "\u0089PNG\u0000\u0000",
  "mixed/.secret.csv": "a,b\n1,2\n",
  "mixed/wide.csv": [0, 1, 2].map(() => Array.from({ length: 70 }, (_, index) => `word ${index % 9}`).join(",")).join("\n"),
  "kept/a.csv": "time,value\n1,2\n2,\n3,4\n",
};

const entry = (name: string, datasetUrl: string, rest: object = {}) => ({
  ...{ kind: "resource", externalId: name, type: "DATASET", name, description: "", authors: [people.researcher.email], tags: [] },
  ...{ privacy: "PUBLIC", headerImage: "", datasetUrl },
  ...rest,
});

const entries = [
  entry("Hostile data", "hostile"),
  entry("Mixed data", "mixed"),
  entry("Bare data", "bare"),
  entry("Lost data", "lost"),
  entry("Data elsewhere", "https://data.example.org/x"),
  entry("Private data", "kept", { privacy: "PRIVATE" }),
];

/** A demo server with a data root for these tests; its entries are looked up by name. */
const test = base.extend<{ open: (name: string) => Promise<Locator> }, { cairn: CairnServer }>({
  cairn: [
    async ({}, use) => {
      const root = await mkdtemp(join(tmpdir(), "cairn-data-"));
      for (const [path, text] of Object.entries(files)) {
        await mkdir(dirname(join(root, path)), { recursive: true });
        await writeFile(join(root, path), text);
      }
      await mkdir(join(root, "bare"));
      const cairn = await CairnServer.start({ environment: { CAIRN_DATASETS_ROOT: root } });
      try {
        await cairn.import(...entries);
        await expect.poll(() => idOf(cairn, "Bare data")).toBeDefined();
        await use(cairn);
      } finally {
        await cairn.close();
        await rm(root, { recursive: true });
      }
    },
    { scope: "worker" },
  ],
  open: async ({ page, cairn }, use) => {
    await use(async (name) => {
      await page.goto(`/resources/datasets/${await idOf(cairn, name)}`);
      return page.getByRole("region", { name: "Files", exact: true });
    });
  },
});

async function idOf(cairn: CairnServer, name: string): Promise<string | undefined> {
  const answer = await fetch(`${cairn.url}/api/v1/rf/resources/search?${new URLSearchParams({ type: "DATASET", name })}`);
  return ((await answer.json()) as { id: string; name: string }[]).find((each) => each.name === name)?.id;
}

const file = (part: Locator, name: string) => part.getByRole("list", { name: "Files" }).getByRole("button", { name });

/** The table's body cell in a row and column, both counted from 1; the row number isn't a column. */
const cell = (part: Locator, row: number, column: number) =>
  part.getByRole("table").getByRole("row").nth(row).getByRole("cell").nth(column - 1);

async function expectScrollsInItself(page: Page, part: Locator, name: RegExp): Promise<void> {
  const scroll = part.getByRole("region", { name });
  expect(await scroll.evaluate((element) => element.scrollHeight > element.clientHeight)).toBe(true);
  const head = scroll.getByRole("columnheader").nth(1);
  await scroll.focus();
  const before = await head.boundingBox();
  await page.keyboard.press("End");
  await expect.poll(() => scroll.evaluate((element) => element.scrollTop)).toBeGreaterThan(0);
  expect((await head.boundingBox())?.y, "the header stays").toBe(before?.y);
}

test.beforeEach(({ page }) => refuseDialogs(page));

test("the bundled datasets show their files, rows and plots", async ({ page, open }) => {
  const argon = await open("Energy trace of liquid argon");
  await expect(file(argon, "argon-energy.csv 36.7 KiB")).toHaveAttribute("aria-current", "true");
  await expect(file(argon, "README.md 1.1 KiB")).toBeVisible();
  await expect(argon.getByRole("columnheader", { name: "temperature_K 76.66 to 173.71" })).toBeVisible();
  await expect(argon.getByRole("row")).toHaveCount(101);
  await expect(cell(argon, 2, 2)).toHaveText("2.13911");
  await expect(cell(argon, 2, 2)).toHaveCSS("text-align", "end");
  await expect(argon.getByText("The first 100 of 1,000 rows.")).toBeVisible();
  await expect(argon.getByRole("img", { name: "temperature_K against time_ps. 1,000 values from 1,000 rows: min 76.66, max 173.71, mean 92.5." })).toBeVisible();
  await expectScrollsInItself(page, argon, /^First rows of/);
  await expectNoSidewaysScroll(page);
  const parts = page.getByRole("heading", { level: 2, name: /^(Files|Use this dataset)$/ });
  await expect(parts).toHaveText(["Files", "Use this dataset"]);
  const all = page.getByRole("group", { name: "Actions" }).getByRole("link", { name: "Download" });
  for (const [link, suggested] of [[argon.getByRole("link", { name: "Download (36.7 KiB)" }), "argon-energy.csv"], [all, "Energy trace of liquid argon.zip"]] as const) {
    const download = page.waitForEvent("download");
    await link.click();
    expect((await download).suggestedFilename()).toBe(suggested);
  }
  await expect(argon.getByRole("link", { name: /^Download all: 3 files, [\d.]+ KiB$/ })).toHaveAttribute("href", /\/dataset\.zip/);
  await page.evaluate(() => {
    navigator.clipboard.writeText = async (text) => void (document.title = text);
  });
  await argon.getByRole("button", { name: "Show SHA-256" }).click();
  await expect(argon.getByText(/^SHA-256 /)).toBeFocused();
  await argon.getByRole("button", { name: "Copy the SHA-256 digest" }).click();
  await expect(page).toHaveTitle(/^[0-9a-f]{64}$/);
  const digest = await page.title();
  await expect(argon.getByText(`SHA-256 ${digest.slice(0, 12)}\u2026`)).toBeVisible();
  const address = await argon.getByRole("link", { name: "Download (36.7 KiB)" }).getAttribute("href");
  const whole = await page.request.get(address ?? "");
  expect(createHash("sha256").update(await whole.body()).digest("hex")).toBe(digest);
  expect(whole.headers()["repr-digest"]).toBe(`sha-256=:${Buffer.from(digest, "hex").toString("base64")}:`);

  const membrane = await open("Membrane recording of a model neuron");
  await membrane.getByRole("combobox", { name: "Column" }).selectOption("voltage_mV");
  const line = membrane.getByRole("img", { name: /^voltage_mV against time_ms\. 5,000 values from 5,000 rows: min −76\.87, max 40\.45/ });
  await expect(line).toBeVisible();
  // The server downsamples but keeps spikes: the line reaches the margin of the field.
  const heights = await line.locator("path").last().evaluate((path) => (path.getAttribute("d") ?? "").split("L").map((place) => Number(place.split(" ")[1])));
  expect(heights.length).toBeLessThanOrEqual(400);
  expect(Math.min(...heights)).toBe(40);
  await membrane.getByRole("button", { name: "Distribution" }).click();
  const bars = membrane.getByRole("img", { name: /^Distribution of voltage_mV\./ });
  await expect(bars.locator("rect")).toHaveCount(24);
  await expectAccessible(page);
  await file(membrane, "README.md").click();
  await expect(membrane.getByRole("heading", { name: "Membrane recording of a model neuron" })).toBeVisible();
  await expect(membrane.getByRole("table")).toContainText("voltage inside relative to outside");
  await file(membrane, "generate.py").click();
  await expect(membrane.locator("pre")).toContainText("import");
});

test("names of files and cells show as the text they are @all", async ({ page, open }) => {
  const part = await open("Hostile data");
  await expect(part.getByRole("list", { name: "Files" }).getByRole("listitem")).toHaveCount(fileNames.length);
  for (const name of fileNames) {
    await file(part, name).click();
    await expect(part.getByRole("heading", { name, exact: true })).toBeVisible();
    await expect(part.getByRole("row")).toHaveCount(101);
    await expectHarmless(page);
  }
  const heads = ["Row", "whendate", ...hostileNames.map((name) => `${name} columntext`), "value0 to 999"];
  await expect(part.getByRole("columnheader")).toHaveText(heads);
  await expect(part.getByRole("row").nth(100).getByRole("cell")).toHaveText(["2026-04-10", ...hostileNames.map((name) => `${name} 99`), "1"]);
  await expect(part.getByRole("img", { name: /^value against when\. .* max 999,/ })).toBeVisible();
  await expect(part.getByText("2026-04-30")).toBeVisible();
});

test("folders are entered and left by keyboard, and each kind of file says what there is @all", async ({ page, open, watch }) => {
  watch.expects(/status of 422 .*dataset\/table/);
  const part = await open("Mixed data");
  await expect(part.getByRole("list", { name: "Files" }).getByRole("button")).toHaveText([
    ...["deepfolder", "notes.txt17 bytes", "nothing.csv0 bytes", "picture.png6 bytes", "pretends.csv7 bytes", /^README\.md/, /^wide\.csv/],
  ]);
  await expect(part.getByText("There are no rows in this file.")).toBeVisible();
  await file(part, "picture.png").click();
  await expect(part.getByText("This type of file can't be previewed. In a session, it's at work/data/mixed/picture.png.")).toBeVisible();
  await file(part, "pretends.csv").click();
  await expect(part.getByText("This file isn't text, whatever its name says")).toBeVisible();
  await file(part, "notes.txt").click();
  await expect(part.locator("pre")).toHaveText("<b>plain</b> text");
  await page.reload(); // the open file has an address
  await expect(part.locator("pre")).toHaveText("<b>plain</b> text");
  await page.goto(`${page.url().split("?")[0]}?file=gone.txt`);
  await expect(part.getByText("There's no file gone.txt in this list.")).toBeVisible();
  await file(part, "README.md").click();
  await expect(part.getByRole("heading", { name: "Mixed", exact: true })).toBeVisible();
  await file(part, "wide.csv").click();
  await expect(part.getByText("3 rows. 10 more columns are not shown. The file has no column names.")).toBeVisible();
  await expect(part.getByRole("img")).toHaveCount(0);
  await expectHarmless(page);

  await file(part, "deep").focus();
  await page.keyboard.press("Enter");
  const way = part.getByRole("navigation", { name: "Folder" });
  await expect(way).toHaveText("All files/deep");
  await expect(way.locator("[aria-current]")).toBeFocused();
  await expect(file(part, "deeper")).toBeVisible();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await expect(way).toHaveText("All files/deep/deeper");
  await expect(part.getByRole("heading", { name: "points.tsv" })).toBeVisible();
  await expect(cell(part, 1, 2)).toHaveText("2");
  await expectAccessible(page);
  await way.getByRole("button", { name: "All files" }).click();
  await expect(file(part, "picture.png")).toBeVisible();
});

test("data that is not here, an empty folder and a failure are told apart @all", async ({ page, open, watch }) => {
  await expect((await open("Lost data")).getByText("The data isn't on this server.")).toBeVisible();
  await expect(page.getByRole("main").getByText("Data not on this server", { exact: true })).toBeVisible();
  await expect(page.getByRole("region", { name: "Use this dataset" })).toHaveCount(0);
  await expect((await open("Data elsewhere")).getByText("The data is hosted at data.example.org, so there's no preview here.")).toBeVisible();
  await expect((await open("Bare data")).getByText("This folder is empty.")).toBeVisible();
  await expect(page.getByText("Data not on this server", { exact: true })).toHaveCount(0);
  await expect(page.getByRole("region", { name: "Use this dataset" })).toContainText("bare");
  await expectAccessible(page);

  watch.expects(/Failed to load resource/);
  const table = /\/dataset\/table\?/;
  await page.route(table, (route) => route.fulfill({ status: 400, json: { message: "Not now." } }));
  const part = await open("Energy trace of liquid argon");
  await expect(part.getByText("Not now.")).toBeVisible();
  await page.unroute(table);

  const listing = /\/dataset\?/;
  const { opened, open: answer } = gate();
  await page.route(listing, async (route) => {
    await opened;
    await route.fulfill({ status: 400, json: { message: "Not now." } });
  });
  await open("Membrane recording of a model neuron");
  await expect(part.getByRole("status")).toHaveText("Loading the files");
  answer();
  await expect(part.getByRole("alert")).toContainText("The files couldn't be loaded.Not now.");
  await page.unroute(listing);
  await part.getByRole("button", { name: "Retry" }).click();
  await expect(file(part, "README.md")).toBeVisible();
});

test("private data is shown to its authors alone @all", async ({ page, cairn, watch }) => {
  watch.expects(/status of 404 .*\/resources\/datasets\//); // the request for the document is anonymous
  await openAs(page, people.researcher, "/resources/starred");
  const [found] = await callAs<{ id: string }[]>(page, "GET", "/resources/search?type=DATASET&name=private+data");
  await page.goto(`/resources/datasets/${found?.id}`);
  const part = page.getByRole("region", { name: "Files", exact: true });
  await expect(part.getByRole("img", { name: /^value against time\. 2 values from 3 rows/ })).toBeVisible();
  await expect(part.getByText("1 row has no number.")).toBeVisible();
  for (const call of ["", "/table?path=a.csv"]) {
    expect((await fetch(`${cairn.url}/api/v1/rf/resources/public/${found?.id}/dataset${call}`)).status).toBe(404);
  }
});
