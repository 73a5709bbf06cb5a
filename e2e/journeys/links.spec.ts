import { execFileSync } from "node:child_process";
import { join } from "node:path";
import type { Browser, Page } from "@playwright/test";
import { callAs } from "../support/calls";
import { chooseAccount, people } from "../support/people";
import { CairnServer } from "../support/server";
import { expectNothingRuns, newTab } from "../support/sessions";
import { test as base, expect } from "../support/test";

/** Names that links, shells, servers and Jupyter have to quote, or to leave exactly as they are. */
const files = [
  ...["a b.ipynb", "figures #3.ipynb", "why?.ipynb", "100%.ipynb", "%41.ipynb", "R&D.ipynb", "c++.ipynb", "a=b.ipynb", "a;b,c.ipynb", "#.ipynb"],
  ...["it's (final)!*.ipynb", 'say "hi".ipynb', "[x](y).ipynb", "{curly}.ipynb", "<b>.ipynb", "a|b.ipynb", "a:b.ipynb", "~tilde.ipynb", "$HOME.ipynb", "`id`.ipynb"],
  ...["%2F.ipynb", "%2e%2e.ipynb", "%00.ipynb", "+.ipynb", "file=x&ref=y.ipynb", "a%20b+c d.ipynb", "@at^.ipynb", "-dash.ipynb", "a..b.ipynb", "&amp;.ipynb"],
  ...["أرقام.ipynb", "עברית/מחברת.ipynb", "مختلط mixed 123.ipynb", "فارسی\u200cمتن.ipynb", "分析/図1.ipynb", "한국어.ipynb", "ไทย.ipynb", "हिन्दी.ipynb", "தமிழ்.ipynb", "አማርኛ.ipynb"],
  ...["été.ipynb", "e\u0301te\u0301.ipynb", "Ελληνικά.ipynb", "Русский.ipynb", "ß.ipynb", "ﬁ.ipynb", "İ.ipynb", "ｆｕｌｌ.ipynb", "no\u00a0break.ipynb", "𝒳.ipynb"],
  ...["😀.ipynb", "👩\u200d🔬.ipynb", "deep/er/and deeper/x.ipynb", "a b/c d/e f.ipynb", "100%/50%.ipynb", "#1/#2.ipynb", `${"long".repeat(40)}.ipynb`, "under_", "notes #1.txt", "what?/data=1&2.csv"],
];

/** Names of branches and tags as git allows them. */
const refs = ["feature/#1", "v1+2", "100%", "a%20b", "it's", 'say"hi"', "a&b=c", "x;y,z", "ünïcode", "e\u0301te\u0301", "日本語", "عربي/فرع", "$HOME", "<b>", "%2F"];

const notebook = JSON.stringify({
  cells: [],
  metadata: { kernelspec: { name: "python3", display_name: "Python 3", language: "python" }, language_info: { name: "python" } },
  nbformat: 4,
  nbformat_minor: 4,
});

/** Adds the files to the demo's repository. */
function addFiles(cairn: CairnServer): void {
  const data = (text: string) => `data ${Buffer.byteLength(text)}\n${text}\n`;
  const names = files.map((file) => `M 100644 :1 "${file.replace(/["\\]/g, "\\$&")}"\n`);
  const commit = `commit refs/heads/main\ncommitter A <a@example.org> 1767225601 +0000\n${data("Add files")}from refs/heads/main^0\n`;
  const repository = join(cairn.dataDir, "demo/git/first-steps.git");
  const input = `blob\nmark :1\n${data(notebook)}${commit}${names.join("")}\n`;
  execFileSync("git", ["-c", "safe.directory=*", "-C", repository, "fast-import", "--quiet"], { input });
}

/** A server whose repository has these files. */
const test = base.extend<object, { cairn: CairnServer }>({
  cairn: [
    async ({}, use) => {
      const cairn = await CairnServer.start();
      addFiles(cairn);
      await use(cairn);
      await cairn.close();
    },
    { scope: "worker" },
  ],
});

const fileField = "File to open";

/** The links of files or refs, as the dialog for sharing the entry writes them. */
async function shareLinks(page: Page, field: string, names: string[]): Promise<Map<string, string>> {
  const found = await page.request.get("/api/v1/rf/resources/search?type=REPOSITORY&name=First+steps");
  const [repository] = (await found.json()) as { id: string }[];
  await page.goto(`/resources/repositories/${repository?.id}`);
  await page.getByRole("button", { name: "Share" }).click();
  await page.getByText("A specific file or branch").click();
  const links = new Map<string, string>();
  for (const name of names) {
    await page.getByLabel(field).fill(name);
    links.set(name, (await page.locator("pre", { hasText: "/run/" }).textContent()) ?? "");
  }
  return links;
}

/** The path below the work folder of what Jupyter has loaded: a notebook, or a text file in its editor. */
function openedFile(tab: Page): Promise<string> {
  return tab.evaluate(() => {
    interface Jupyter {
      notebook?: { notebook_path: string; _fully_loaded: boolean };
      editor?: { file_path: string; codemirror: { getValue(): string } };
    }
    const { notebook, editor } = (window as unknown as { Jupyter?: Jupyter }).Jupyter ?? {};
    if (notebook?._fully_loaded) return notebook.notebook_path;
    return editor && editor.codemirror.getValue() !== "" ? editor.file_path : "";
  });
}

/** Follows a link as somebody who isn't signed in, and signs in. */
async function arrive(browser: Browser, cairn: CairnServer, link: string): Promise<Page> {
  const context = await browser.newContext({ baseURL: cairn.url });
  const page = await context.newPage();
  await page.goto(link);
  await page.getByRole("button", { name: "Sign in to run" }).click();
  await chooseAccount(page, people.colleague);
  await expect(page).toHaveURL(link);
  return page;
}

/** Follows the link of a file, and runs it. */
async function follow(browser: Browser, cairn: CairnServer, link: string, file: string): Promise<void> {
  const page = await arrive(browser, cairn, link);
  const tab = await newTab(page, page.getByRole("main").getByRole("button", { name: "Run", exact: true }));
  await expect(tab).toHaveURL(/\/(notebooks|edit)\//, { timeout: 180_000 });
  await expect.poll(() => openedFile(tab).catch(() => ""), { timeout: 180_000 }).toBe(`first-steps/${file}`);
  await tab.close();
  for (const { id } of await callAs<{ id: string }[]>(page, "GET", "/sessions/")) await callAs(page, "DELETE", `/sessions/${id}`);
  await page.context().close();
}

test.describe.configure({ mode: "parallel" });

test("awkward links open the file that they name, after the sign-in @all", async ({ page, browser, cairn }) => {
  test.slow();
  const links = await shareLinks(page, fileField, ["figures #3.ipynb", "分析/図1.ipynb"]);
  for (const [file, link] of links) await follow(browser, cairn, link, file);
  await expectNothingRuns(cairn);
});

for (const part of [0, 1, 2]) {
  test(`20 awkward links (${part + 1} of 3) open the file that they name, after the sign-in @all @desktop`, async ({
    page,
    browser,
    cairn,
  }) => {
    test.setTimeout(900_000);
    const links = await shareLinks(page, fileField, files.slice(20 * part, 20 * part + 20));
    expect(new Set(links.values()).size).toBe(20);
    for (const [file, link] of links) await test.step(file, () => follow(browser, cairn, link, file));
    await expectNothingRuns(cairn);
  });
}

test("links with awkward refs ask for that very ref after the sign-in @all @desktop", async ({ page, browser, cairn }) => {
  const links = await shareLinks(page, "Branch, tag or commit", refs);
  for (const [ref, link] of links) {
    await test.step(ref, async () => {
      const visit = await arrive(browser, cairn, link);
      await visit.getByRole("main").getByRole("button", { name: "Run", exact: true }).click();
      // Repositories of the demo have one branch: the answer names the one that isn't there.
      await expect(visit.getByRole("alert").filter({ hasText: `"${ref}"` })).toBeVisible();
      await visit.context().close();
    });
  }
  await expectNothingRuns(cairn);
});
