import { readFile } from "node:fs/promises";
import { get } from "node:http";
import type { Page } from "@playwright/test";
import type { CairnServer } from "../support/server";
import { expect, test } from "../support/test";
import { catalog, entryPath } from "./routes";

/*
 * What a first visit costs, in bytes on the wire. Sizes are the same on every machine. README.md explains the budgets
 * and what to do when one is exceeded.
 */

/** What the page needs for its first paint. The document names it, so all of it is fetched immediately. */
const scriptBudget = 92_672;
/** The Markdown renderer, for entries that need it. */
const markdownBudget = 51_000;
/** Includes what loads afterwards: a repository's files, the renderer of its README, its runs, the sign-in library of /login. */
const laterBudget = 182_000;
const styleBudget = 16_384;
const landingBudget = 300_000;

const weightsFile = new URL("../../web/dist/.vite/weights.json", import.meta.url);

interface Visit {
  /** Files that the document names. */
  scripts: Map<string, number>;
  /** Those, and everything loaded afterwards. */
  allScripts: Map<string, number>;
  styles: Map<string, number>;
  /** Everything that the browser fetched, in the encoding it accepted. */
  bytes: number;
  foreign: string[];
}

/** Opens a page as a first-time visitor and lets it load everything. */
async function visit(page: Page, cairn: CairnServer, path: string): Promise<Visit> {
  const found: Visit = { scripts: new Map(), allScripts: new Map(), styles: new Map(), bytes: 0, foreign: [] };
  page.on("request", (request) => {
    const address = new URL(request.url());
    // Notebooks are shown in frames from the server's other origin.
    if (address.origin !== cairn.url && !address.hostname.endsWith(".localhost")) found.foreign.push(request.url());
  });
  const html = (await (await page.goto(path))?.text()) ?? "";
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await page.waitForLoadState("networkidle");
  const fetched = await page.evaluate(() =>
    [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")].map((entry) => {
      const { name, encodedBodySize } = entry as PerformanceResourceTiming;
      return { name, bytes: encodedBodySize };
    }),
  );
  for (const { name, bytes } of fetched) {
    found.bytes += bytes;
    const { pathname } = new URL(name);
    if (pathname.endsWith(".js")) found.allScripts.set(pathname, await gzipSize(name));
    if (pathname.endsWith(".css")) found.styles.set(pathname, await gzipSize(name));
  }
  for (const [file, bytes] of found.allScripts) if (html.includes(`"${file}"`)) found.scripts.set(file, bytes);
  return found;
}

/** Returns the gzipped size of a file in bytes, as the server sends it. */
function gzipSize(address: string): Promise<number> {
  return new Promise((resolve, reject) => {
    get(address, { headers: { "Accept-Encoding": "gzip" } }, (answer) => {
      let bytes = 0;
      answer.on("data", (part: Buffer) => {
        bytes += part.length;
      });
      answer.on("end", () => resolve(bytes)).on("error", reject);
    }).on("error", reject);
  });
}

/** Returns "" within the budget, else a sentence with the size and the largest files. */
async function excess(what: string, files: Map<string, number>, budget: number): Promise<string> {
  const total = [...files.values()].reduce((sum, bytes) => sum + bytes, 0);
  if (total > 0 && total <= budget) return "";
  const weights = JSON.parse(await readFile(weightsFile, "utf8")) as Record<string, [string, number][]>;
  const lines = [...files]
    .sort(([, one], [, other]) => other - one)
    .map(([file, bytes]) => {
      const modules = (weights[file.slice(1)] ?? []).map(([name, size]) => `${name} ${kilo(size)}`).join(", ");
      return `  ${kilo(bytes)} kB ${file}${modules && ` (before minifying: ${modules})`}`;
    });
  return `${what} is ${kilo(total)} kB gzip, and ${kilo(budget)} kB are allowed:\n${lines.join("\n")}`;
}

function kilo(bytes: number): string {
  return (bytes / 1000).toFixed(1);
}

test("the first page of a visit is light, whichever it is @desktop", async ({ browser, cairn }) => {
  test.slow();
  const lists = ["notebooks", "repositories", "datasets", "models"].map((kind) => `/resources/${kind}`);
  const pathsTo = (...types: Parameters<typeof entryPath>[1][]) => Promise.all(types.map((type) => entryPath(cairn, type)));
  const [written, plain] = [await pathsTo("REPOSITORY", "DATASET"), await pathsTo("NOTEBOOK", "MODEL")];
  for (const path of ["/", catalog, ...lists, ...written, ...plain, "/events", "/login"]) {
    const context = await browser.newContext({ baseURL: cairn.url });
    const found = await visit(await context.newPage(), cairn, path);
    await context.close();
    const kinds = `${found.scripts.size} scripts ${kilo(sum(found.scripts))} (${kilo(sum(found.allScripts))})`;
    test.info().annotations.push({ type: "weight", description: `${path}: ${kinds}, style ${kilo(sum(found.styles))}, all ${kilo(found.bytes)} kB` });
    const [markdown, scripts] = [new Map<string, number>(), new Map<string, number>()];
    for (const [file, bytes] of found.scripts) (file.includes("/Markdown-") ? markdown : scripts).set(file, bytes);
    expect.soft(await excess(`The script of a first visit of ${path}`, scripts, scriptBudget)).toBe("");
    if (written.includes(path)) expect.soft(await excess("What lays out Markdown", markdown, markdownBudget)).toBe("");
    else expect.soft([...markdown.keys()], `${path} has no Markdown to lay out`).toEqual([]);
    expect.soft(await excess(`The script that ${path} loads by itself`, found.allScripts, laterBudget)).toBe("");
    expect.soft(await excess(`The style of a first visit of ${path}`, found.styles, styleBudget)).toBe("");
    expect.soft(found.foreign, `requests of ${path} to other hosts`).toEqual([]);
    if (path !== "/") continue;
    const all = `The landing page takes ${kilo(found.bytes)} kB in all, and ${kilo(landingBudget)} are allowed`;
    expect.soft(found.bytes, all).toBeLessThanOrEqual(landingBudget);
  }
});

function sum(files: Map<string, number>): number {
  return [...files.values()].reduce((total, bytes) => total + bytes, 0);
}

test("scripts and styles travel in Brotli's packing, forever @desktop", async ({ request }) => {
  const html = await (await request.get(catalog)).text();
  const files = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+\.(?:js|css))"/g)].map(([, file]) => file ?? "");
  expect(files.length).toBeGreaterThan(4);
  expect(files.length, `fewer and larger files pack better: ${files.join(" ")}`).toBeLessThan(12);
  for (const file of files) {
    const headers = (await request.get(file)).headers();
    if (Number(headers["content-length"] ?? 0) > 1000) expect(headers["content-encoding"], file).toBe("br");
    expect(headers["cache-control"], file).toContain("immutable");
  }
});
