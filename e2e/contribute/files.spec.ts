import type { Locator, Page } from "@playwright/test";
import { expectAccessible, expectNoSidewaysScroll } from "../support/accessible";
import { expectSoon } from "../support/answers";
import { gate } from "../support/catalog";
import { people } from "../support/people";
import type { CairnServer } from "../support/server";
import { expect } from "../support/test";
import { test as base } from "./fixtures";

/** Entries of repositories on a stand-in for GitHub, one for each edge case of the file browser. */
const repositories = {
  plain: "Spike sorter",
  large: "Ten thousand traces",
  hostile: "Hostile names",
  master: "Old habits",
  limited: "Nobody looked yet",
  later: "Kept for later",
  hidden: "Made private",
  elsewhere: "At another host",
} as const;

type Key = keyof typeof repositories;

const hostileNames = [`<img src=x onerror="window.taken=1">.txt`, "\u202Etxt.exe", "a%2F..%2Fb?c#d", "__proto__"];
const readme = `# Spike sorter

Read the [guide](docs/guide.md), the [license](/LICENSE) or [the site](https://example.org/).

<p align="center"><img src="https://tracker.example/pixel.png" onerror="window.taken=1"></p>

<script>window.taken = 1</script>

![A plot](docs/plot.png) [run](javascript:window.taken=1)

![Spikes over time](data/raster.gif)
`;

/** A picture of one pixel, all of whose bytes are ASCII. */
const picture = "GIF89a\x01\0\x01\0\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;";

const citation = `cff-version: 1.2.0
title: "Kept: the software"
authors: [{family-names: Lovelace, given-names: Ada}]
preferred-citation:
  type: article
  title: Kept for later
  authors: [{family-names: Lovelace, given-names: Ada}, {name: The Lab}]
  journal: Journal of Later
  year: 2024
  doi: 10.1234/later
`;

const test = base.extend<object, { cairn: CairnServer }>({
  cairn: [
    async ({ github }, use) => {
      await github.put(
        {
          name: "lab/plain",
          files: {
            "README.md": readme,
            LICENSE: "free\n",
            "docs/guide.md": "# Guide\n\nBack to [the license](../LICENSE).",
            "docs/deep/er/note.txt": "deep",
            "src/sorter.py": "import numpy\n\n\ndef sort(spikes):\n    return sorted(spikes)\n",
            "data/raster.gif": picture,
            "data/spikes.bin": "x".repeat(12_345),
            "latin.txt": "caf\u0000",
          },
          branches: { develop: { "other.txt": "" } },
        },
        { name: "lab/large", many: { traces: 10_000 }, files: { "README.rst": "Traces\n======\n" } },
        {
          name: "lab/hostile",
          files: Object.fromEntries([
            ...hostileNames.map((name) => [`names/${name}`, "harmless\n"]),
            ["../../etc/passwd", "root"],
            ["sub folder?#/in<side>.md", "# Inside"],
          ]),
        },
        { name: "lab/master", default: "develop", files: { "x.txt": "" }, branches: { master: { "old.txt": "old" } } },
        { name: "lab/limited", files: { "first.txt": "1" } },
        { name: "lab/later", files: { "kept.txt": "1", "inner/y.txt": "2", "CITATION.cff": citation } },
        { name: "lab/hidden", private: true, files: { "secret.txt": "1" } },
      );
      const cairn = await github.startCairn();
      try {
        await cairn.import(
          ...Object.entries(repositories).map(([key, name]) => ({
            ...{ kind: "resource", externalId: key, type: "REPOSITORY", name, description: "About it.", tags: ["files"] },
            ...{ authors: [people.researcher.email], privacy: "PUBLIC" },
            repositoryUrl: key === "elsewhere" ? "https://gitlab.example/lab/elsewhere" : `https://github.com/lab/${key}.git`,
          })),
        );
        await expect.poll(async () => (await entries(cairn)).size).toBe(Object.keys(repositories).length);
        await use(cairn);
      } finally {
        await cairn.close();
      }
    },
    { scope: "worker" },
  ],
});

/** The ids of the entries by name. */
async function entries(cairn: CairnServer): Promise<Map<string, string>> {
  const answer = await fetch(`${cairn.url}/api/v1/rf/resources/public?tag=files`);
  const { content } = (await answer.json()) as { content: { id: string; name: string }[] };
  return new Map(content.map(({ id, name }) => [name, id]));
}

async function open(page: Page, cairn: CairnServer, key: Key, query = ""): Promise<void> {
  await page.goto(`/resources/repositories/${(await entries(cairn)).get(repositories[key])}${query}`);
  await files(page).scrollIntoViewIfNeeded();
}

const files = (page: Page) => page.getByRole("region", { name: "Files", exact: true });
const list = (page: Page, folder: string) => files(page).getByRole("region", { name: `Files in ${folder}`, exact: true });
const rows = (page: Page) => files(page).getByRole("rowheader");
const way = (page: Page) => files(page).getByRole("navigation", { name: "Folder" });
const backButton = (page: Page) => files(page).getByRole("button", { name: "Back" });
const entry = (page: Page, name: string): Locator => files(page).getByRole("row").filter({ hasText: name });

async function expectFolder(page: Page, path: string): Promise<void> {
  await expect(way(page).getByRole("listitem")).toHaveText(["root", ...(path === "" ? [] : path.split("/"))]);
  await expect(list(page, path === "" ? "root" : path)).toHaveAttribute("aria-busy", "false");
  expect(new URL(page.url()).searchParams.get("folder") ?? "").toBe(path);
}

// The README has a picture that isn't there, which is asked of this server alone.
test.beforeEach(({ watch }) => watch.expects(/status of 404 .*\/picture\?.*tracker/));

test("folders come first, sizes are bytes, files lead to their page, the README reads below", async ({ page, cairn }) => {
  await open(page, cairn, "plain");
  await expect(rows(page)).toHaveText([/data$/, /docs$/, /src$/, "latin.txt", "LICENSE", "README.md"]);
  await expect(files(page)).toContainText("main");
  await expect(entry(page, "LICENSE").getByRole("cell").first()).toHaveText("5");
  await expect(entry(page, "LICENSE").getByTitle("5 bytes")).toBeVisible();
  await expect(entry(page, "data").getByRole("cell").first()).toHaveText("");
  const license = files(page).getByRole("link", { name: "LICENSE", exact: true });
  await expect(license).toHaveAttribute("href", "https://github.com/lab/plain/blob/main/LICENSE");
  await expect(license).toHaveAttribute("target", "_blank");
  await expect(license).toHaveAttribute("rel", /noopener/);
  const openIn = files(page).getByRole("link", { name: "Open in GitHub" });
  await expect(openIn).toHaveAttribute("href", "https://github.com/lab/plain/tree/main");
  await expect(openIn).toHaveAttribute("target", "_blank");

  const text = files(page).getByRole("article", { name: "README.md" });
  await expect(text.getByRole("heading", { name: "Spike sorter" })).toBeVisible();
  await expect(text.getByRole("link", { name: "guide" })).toHaveAttribute("href", "https://github.com/lab/plain/blob/main/docs/guide.md");
  await expect(text.getByRole("link", { name: "license" })).toHaveAttribute("href", "https://github.com/lab/plain/blob/main/LICENSE");
  await expect(text.getByRole("link", { name: "the site" })).toHaveAttribute("href", "https://example.org/");
  await expect(text.getByRole("link", { name: "Picture: A plot" })).toBeVisible();
  const drawn = text.getByRole("link", { name: "Spikes over time" }); // the picture alone in its paragraph is shown
  await expect(drawn).toHaveAttribute("href", "https://github.com/lab/plain/blob/main/data/raster.gif");
  await expect.poll(() => drawn.getByRole("img").evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(1);
  await expect(text.locator("img, script")).toHaveCount(1);
  await expect(text.getByRole("link")).toHaveText(["guide", "license", "the site", "Picture", "Picture: A plot", ""]); // "run" isn't one
  await expect(text).not.toContainText("<p");
  expect(await page.evaluate(() => (window as { taken?: number }).taken)).toBeUndefined();
  await expectNoSidewaysScroll(page);
  await expectAccessible(page);
});

test("folders are entered, Back goes where one was, the root begins anew, and an address leads to a folder", async ({
  page,
  cairn,
}) => {
  await open(page, cairn, "plain");
  await expect(rows(page).first()).toBeVisible();
  await expect(backButton(page)).toHaveAttribute("aria-disabled", "true");
  // By keyboard; the page doesn't scroll.
  const before = await page.evaluate(() => window.scrollY);
  expect(before).toBeGreaterThan(0);
  await files(page).getByRole("link", { name: "docs" }).focus();
  await page.keyboard.press("Enter");
  await expectFolder(page, "docs");
  await expect(list(page, "docs")).toBeFocused();
  await expect(list(page, "docs")).toBeInViewport();
  expect(await page.evaluate(() => window.scrollY)).toBeGreaterThan(0);
  await page.keyboard.press("Tab");
  await expect(files(page).getByRole("link", { name: "deep" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expectFolder(page, "docs/deep");
  await files(page).getByRole("link", { name: "er", exact: true }).click();
  await expectFolder(page, "docs/deep/er");
  await way(page).getByRole("link", { name: "docs" }).click();
  await expectFolder(page, "docs");
  await backButton(page).click();
  await expectFolder(page, "docs/deep/er");
  await backButton(page).click();
  await expectFolder(page, "docs/deep");
  await page.goBack(); // the browser's history
  await expectFolder(page, "docs/deep/er");
  await page.reload();
  await expectFolder(page, "docs/deep/er");
  await way(page).getByRole("link", { name: "root" }).click();
  await expectFolder(page, "");
  await expect(backButton(page)).toHaveAttribute("aria-disabled", "true");

  await open(page, cairn, "plain", "?folder=docs");
  await expectFolder(page, "docs");
  await expect(files(page).getByRole("link", { name: "Open in GitHub" })).toHaveAttribute("href", "https://github.com/lab/plain/tree/main/docs");
  const text = files(page).getByRole("article", { name: "guide.md" });
  await expect(text).toHaveCount(0); // not every README introduces its folder
});

test("texts are shown with the numbers of their lines, others say why not @all", async ({ page, cairn, watch }) => {
  watch.expects(/status of 422/);
  await open(page, cairn, "plain", "?folder=src");
  await files(page).getByRole("button", { name: "Preview sorter.py" }).click();
  const dialog = page.getByRole("dialog", { name: "sorter.py" });
  await expect(dialog).toContainText("5 lines, 59 bytes");
  await expect(dialog.getByRole("region", { name: "Text" })).toContainText("    return sorted(spikes)");
  await expect(dialog.getByText("1\n2\n3\n4\n5", { exact: true })).toBeVisible();
  const colored = dialog.getByText("return", { exact: true });
  await expect(colored).not.toHaveCSS("color", await dialog.locator("pre").last().evaluate((text) => getComputedStyle(text).color));
  await expect(dialog.getByRole("link", { name: "Open in GitHub" })).toHaveAttribute("href", "https://github.com/lab/plain/blob/main/src/sorter.py");
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
  await expect(files(page).getByRole("button", { name: "Preview sorter.py" })).toBeFocused();

  await way(page).getByRole("link", { name: "root" }).click();
  await expect(entry(page, "data").getByRole("button")).toHaveCount(0);
  await files(page).getByRole("button", { name: "Preview latin.txt" }).click();
  await expect(page.getByRole("dialog").getByRole("alert")).toContainText("This file isn't text, so it can't be shown here.");
});

test("an open file has an address of its own, and the browser's Back closes it @all", async ({ page, cairn, watch }) => {
  watch.expects(/status of 404/);
  await open(page, cairn, "plain", "?folder=src");
  await files(page).getByRole("button", { name: "Preview sorter.py" }).click();
  const dialog = page.getByRole("dialog", { name: "sorter.py" });
  await expect(dialog).toContainText("5 lines, 59 bytes");
  expect(new URL(page.url()).searchParams.get("file")).toBe("src/sorter.py");
  await page.goBack();
  await expect(dialog).toHaveCount(0);
  await expectFolder(page, "src");
  await page.goForward();
  await page.reload();
  await expect(dialog.getByRole("region", { name: "Text" })).toContainText("return sorted(spikes)");

  await open(page, cairn, "plain"); // so that the next address is no reload
  await open(page, cairn, "plain", "?file=src%2Fsorter.py");
  await expect(dialog).toContainText("5 lines, 59 bytes");
  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
  await expectFolder(page, "src");

  await open(page, cairn, "plain", "?file=src%2Fgone.py");
  await expect(page.getByRole("dialog", { name: "gone.py" }).getByRole("alert")).toContainText("src/gone.py");
});

test("where one is and Back survive a folder that fails @all", async ({ page, cairn, watch }) => {
  watch.expects(/status of 50[23]|Failed to load resource/);
  await open(page, cairn, "plain");
  await expect(rows(page)).toHaveCount(6);
  for (const failure of ["limited", "broken", "offline"]) {
    await page.route(/\/files\?.*docs/, (route) =>
      failure === "offline"
        ? route.abort()
        : failure === "limited"
          ? route.fulfill({ status: 503, headers: { "retry-after": "900" }, json: { message: "Not so often." } })
          : route.fulfill({ status: 502, json: { message: "GitHub sent an answer that can't be read." } }),
    );
    await files(page).getByRole("link", { name: "docs" }).click();
    await expect(files(page).getByRole("button", { name: /^Retry/ })).toBeVisible();
    await expectFolder(page, "docs");
    await backButton(page).click();
    await expectFolder(page, "");
    await expect(rows(page)).toHaveCount(6);
    await page.unroute(/\/files\?.*docs/);
  }
});

test("ten thousand files stay usable @all", async ({ page, cairn }) => {
  await open(page, cairn, "large");
  await expect(files(page).getByRole("article", { name: "README.rst" })).toContainText("Traces");
  await files(page).getByRole("link", { name: "traces" }).click();
  await expectFolder(page, "traces");
  await expect(rows(page)).toHaveCount(200);
  await expect(files(page).getByText("200 of 10,000 entries")).toBeVisible();
  await files(page).getByRole("button", { name: "Show 200 more" }).click();
  await expect(rows(page)).toHaveCount(400);
  await files(page).getByRole("searchbox", { name: "Find in this folder" }).fill("9998");
  await expect(rows(page)).toHaveText(["file-09998.txt"]);
  await expect(files(page).getByText("1 of 1 entry")).toBeVisible();
  await files(page).getByRole("searchbox").fill("nothing like it");
  await expect(files(page).getByText("No files match.")).toBeVisible();
  await expectNoSidewaysScroll(page);
  await expectAccessible(page);
});

test("hostile names are names @all", async ({ page, cairn, watch }) => {
  watch.expects(/status of 422/);
  await open(page, cairn, "hostile");
  await expect(rows(page)).toHaveText([/names$/, /sub folder\?#$/]);
  await files(page).getByRole("link", { name: "sub folder?#" }).click();
  await expectFolder(page, "sub folder?#");
  await expect(files(page).getByRole("link", { name: "in<side>.md" })).toHaveAttribute(
    "href",
    "https://github.com/lab/hostile/blob/main/sub%20folder%3F%23/in%3Cside%3E.md",
  );
  await backButton(page).click();
  await files(page).getByRole("link", { name: "names" }).click();
  await expectFolder(page, "names");
  await expect(rows(page)).toHaveText(hostileNames.map((name) => name.replace("\u202E", "\uFFFD")).sort(caseless));
  await expect(files(page).locator("img")).toHaveCount(0);
  await files(page).getByRole("button", { name: /^Preview <img/ }).click();
  await expect(page.getByRole("dialog").getByRole("region", { name: "Text" })).toContainText("harmless");
  expect(await page.evaluate(() => (window as { taken?: number }).taken)).toBeUndefined();
  await page.keyboard.press("Escape");
  await page.goto(`${page.url().split("?")[0]}?folder=..%2F..`);
  await expect(files(page).getByText("No part of a path may be empty, . or ..")).toBeVisible();
});

const caseless = (a: string, b: string) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1);

test("files of a branch that is not main, of no browser, and of a repository that is private @all", async ({ page, cairn, watch }) => {
  watch.expects(/status of 404/, /status of 503/);
  await open(page, cairn, "master");
  await expect(rows(page)).toHaveText(["old.txt"]);
  await expect(files(page).getByRole("link", { name: "old.txt" })).toHaveAttribute("href", "https://github.com/lab/master/blob/master/old.txt");

  await open(page, cairn, "elsewhere");
  await expect(files(page)).toContainText("gitlab.example can't be reached from this server right now.");
  await expect(files(page).getByRole("link", { name: "Open in gitlab.example" })).toHaveAttribute("href", "https://gitlab.example/lab/elsewhere");
  await expect(files(page).getByRole("table")).toHaveCount(0);

  await open(page, cairn, "hidden");
  await expect(files(page)).toContainText("GitHub has no public repository lab/hidden.");
  await expectAccessible(page);

  await open(page, cairn, "plain", "?folder=nowhere");
  await expect(files(page)).toContainText('There is no folder "/nowhere" on the branch main of lab/plain.');
  await files(page).getByRole("link", { name: "Go to the root" }).click();
  await expectFolder(page, "");
  await expect(rows(page)).toHaveCount(6);
});

test("a citation is what the repository asks for; a used up limit hides the files until it ends @all", async ({ page, cairn, github, watch }) => {
  watch.expects(/status of 503/);
  await open(page, cairn, "later");
  await expect(rows(page)).toHaveText([/inner$/, "CITATION.cff", "kept.txt"]);
  await page.getByRole("button", { name: "Cite", exact: true }).click();
  const cite = page.getByRole("dialog", { name: "Cite this repository" });
  await expect(cite).toContainText("From the repository's CITATION.cff.");
  await expect(cite).toContainText("journal = {Journal of Later}");
  await page.keyboard.press("Escape");

  // The page may ask again only after everything was checked, however long that takes.
  const limited = gate();
  await page.clock.install();
  await page.route("**/resources/public/*/files?*", async (route) => {
    await limited.opened;
    const answer = await route.fetch();
    await route.fulfill({ response: answer, headers: { ...answer.headers(), "retry-after": "30" } });
  }, { times: 1 });
  // This call reads the list of files too.
  await page.route("**/resources/public/*/environment", (route) => route.fulfill({ json: { files: [], packages: [], leftOut: [] } }));
  await open(page, cairn, "limited");
  await github.limit(0, 4);
  limited.open();
  try {
    await expect(files(page)).toContainText("The code host's rate limit of 60 per hour may be exceeded.");
    await expect(files(page)).toContainText("The files load again automatically at");
    await expect(files(page).getByRole("table")).toHaveCount(0);
    await expect(way(page).getByRole("listitem")).toHaveText(["root"]);
    await expect(files(page).getByRole("link", { name: "Open in GitHub" })).toHaveAttribute("href", "https://github.com/lab/limited");
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
    await page.clock.fastForward(30_000);
    await expectSoon(page, rows(page).getByText("first.txt")); // by itself
  } finally {
    await github.limit(60, 3600);
  }
});

test("an old copy says how old it is @all", async ({ page, cairn }) => {
  await page.route("**/resources/public/*/files?*", async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ json: { ...((await answer.json()) as object), stale: true, asOf: "2026-01-02T03:04:00Z" } });
  });
  await open(page, cairn, "plain");
  await expect(files(page)).toContainText(/GitHub can't be reached right now. The files are shown as of .*2026/);
  await expect(rows(page)).toHaveCount(6);
  await expectNoSidewaysScroll(page);
});

test("a failure says why, with Retry; the repository of the demo is read without a network @all", async ({ page, cairn, watch }) => {
  watch.expects(/status of 502/);
  await page.route("**/resources/public/*/files?*", (route) =>
    route.fulfill({ status: 502, json: { message: "GitHub sent an answer that can't be read." } }),
  );
  await open(page, cairn, "plain");
  await expect(files(page).getByRole("alert")).toContainText("GitHub sent an answer that can't be read.");
  await page.unroute("**/resources/public/*/files?*");
  await files(page).getByRole("button", { name: "Retry" }).click();
  await expect(rows(page)).toHaveCount(6);

  await page.goto("/resources/repositories?searchText=First+steps");
  const link = page.getByRole("main").getByRole("link", { name: "First steps", exact: true });
  const entry = (await link.getAttribute("href")) ?? "";
  await page.goto(`${cairn.url}/demo/git/first-steps.git`); // its clone address
  await expect(page).toHaveURL(new URL(entry, cairn.url).pathname);
  await files(page).scrollIntoViewIfNeeded();
  await expect(rows(page)).toHaveText(["Folder data", "Folder figures", "cairn.yml", "first-steps.ipynb", "first_steps.py", "LICENSE", "README.md"]);
  await expect(files(page).getByRole("link", { name: "LICENSE" })).toHaveCount(0);
  await expect(files(page).getByRole("link", { name: /^Open in/ })).toHaveCount(0);
  await expect(files(page).getByRole("article", { name: "README.md" })).toBeVisible();
  await expectAccessible(page);
  await files(page).getByRole("button", { name: "Preview first-steps.ipynb" }).click();
  const notebook = page.getByRole("dialog", { name: "first-steps.ipynb" }).frameLocator("iframe");
  await expect(notebook.getByRole("heading", { name: "First steps" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
});
