import type { Locator, Page } from "@playwright/test";
import { expectAccessible } from "../support/accessible";
import { card, collectCalls, expectFilters } from "../support/catalog";
import { copied } from "../support/clipboard";
import { newTab } from "../support/sessions";
import { heron, tag } from "./entries";
import { actions, expect, open, pathTo, test, unfoldFacts } from "./fixtures";

const facts = (page: Page) => page.getByRole("complementary", { name: "Facts" });
const fact = (page: Page, name: string) => facts(page).getByRole("definition").filter({ has: page.locator(`xpath=preceding-sibling::dt[.="${name}"]`) });

async function expectCopied(page: Page, button: Locator, text: string): Promise<void> {
  const said = page.getByRole("status").filter({ hasText: "Copied" }).first().waitFor({ state: "attached" });
  const [found] = await Promise.all([copied(page, button), said]);
  expect(found).toBe(text);
}

test.beforeEach(async ({ context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
});

test("a repository: from its card to its page, all that it says, and back to the same search", async ({ page, cairn }) => {
  await page.goto(`/resources?resourceTypes=REPOSITORY,DATASET&tags=${tag}&searchText=code`);
  const detail = await newTab(page, card(page, heron.repository).getByRole("link"));
  const calls = collectCalls(detail);
  await expect(detail.getByRole("heading", { level: 1, name: heron.repository, exact: true })).toBeVisible();
  const main = detail.getByRole("main");
  await expect(main.getByText("Repository", { exact: true })).toBeVisible();
  await expect(detail.getByRole("img", { name: "Private" })).toHaveCount(0);
  await expect(detail.getByRole("button", { name: "Delete" })).toHaveCount(0);

  await test.step("tags in the order of the alphabet", async () => {
    const tags = main.getByRole("list", { name: "Tags" }).getByRole("link");
    await expect(tags).toHaveText(["Aves", "heron", "md, namd"]);
  });

  await test.step("About is Markdown below the page's headings, its pictures are links", async () => {
    const about = main.getByRole("region", { name: "About" });
    await expect(about.getByRole("heading", { level: 3, name: "Herons" })).toBeVisible();
    await expect(about.getByRole("table").getByRole("cell", { name: "grey heron" })).toBeVisible();
    await expect(about.getByRole("link", { name: "Picture: picture" })).toHaveAttribute("href", "https://pictures.example.org/heron.png");
    await expect(about.getByRole("link", { name: "link", exact: true })).toHaveAttribute("rel", /noopener.*nofollow/);
    await expect(about.locator("img")).toHaveCount(0);
  });

  await test.step("where it lives and how a session sees it", async () => {
    await expect(main.getByRole("heading", { level: 2, name: /^(Files|Use this repository)$/ })).toHaveText(["Files", "Use this repository"]);
    const use = main.getByRole("region", { name: "Use this repository" });
    const address = "https://github.com/maker/heron";
    await expectCopied(detail, use.getByRole("button", { name: "Copy clone command" }), `git clone ${address}`);
    await use.getByRole("tab", { name: "Address" }).click();
    await expectCopied(detail, use.getByRole("button", { name: "Copy clone address" }), address);
    await use.getByRole("tab", { name: "In a session" }).click();
    await expectCopied(detail, use.getByRole("button", { name: "Copy path in a session" }), "work/heron");
  });

  await test.step("the parts of the page are links to them", async () => {
    await expect(main.getByText("github.com", { exact: true })).toBeVisible();
    const parts = main.getByRole("navigation", { name: "Parts of this page" });
    await expect(parts.getByRole("link")).toHaveText(["About", "Files", "Use", "Runs"]);
    await parts.getByRole("link", { name: "Use" }).click();
    await expect(main.getByRole("heading", { level: 2, name: "Use this repository" })).toBeInViewport();
    await detail.goBack();
  });

  await test.step("the facts", async () => {
    await unfoldFacts(detail);
    const today = await detail.evaluate(() => new Intl.DateTimeFormat("en", { dateStyle: "medium" }).format(new Date()));
    await expect(fact(detail, "Maintained by").getByRole("link")).toHaveText(["jane.doe@…", "lab@…"]);
    await expect(fact(detail, "Added").locator("time")).toHaveText(today);
    await expect(fact(detail, "Added")).toHaveText(/(just now|minutes? ago)$/);
    // It hasn't changed since, and nobody has starred it.
    for (const name of ["Updated", "Stars"]) await expect(fact(detail, name)).toHaveCount(0);
    await expect(fact(detail, "Privacy")).toHaveText("Public");
    await expect(fact(detail, "Links").getByRole("link")).toHaveAttribute("href", "https://github.com/maker/heron");
    const id = new URL(detail.url()).pathname.split("/").at(-1);
    const project = actions(detail).getByRole("link", { name: "Use in a project" });
    await expect(project).toHaveAttribute("href", `/add/project?repositoryId=${id}`);
    await expect(actions(detail).getByRole("link", { name: "Download" })).toHaveAttribute("href", "https://github.com/maker/heron/archive/HEAD.zip");
    await expect(actions(detail).getByRole("button")).toHaveText(["Run", "Cite", "Share", "Star"]);
    const tops = await actions(detail).locator("a, button").evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top));
    if ((detail.viewportSize()?.width ?? 0) >= 1280) expect(new Set(tops).size, "one row").toBe(1);
  });

  await test.step("the link to pass on has nothing of the search", async () => {
    await actions(detail).getByRole("button", { name: "Share" }).click();
    const share = detail.getByRole("dialog", { name: "Share this repository" });
    const address = `${cairn.url}${new URL(detail.url()).pathname}`;
    await expectCopied(detail, share.getByRole("button", { name: "Copy link to the page" }), address);
    await detail.keyboard.press("Escape");
  });

  await expectAccessible(detail);
  // It came with the document.
  expect(calls.filter(({ pathname }) => /\/resources\/public\/[^/]+$/.test(pathname))).toEqual([]);
  await detail.getByRole("link", { name: "Back", exact: true }).click();
  await expectFilters(detail, { resourceTypes: "REPOSITORY,DATASET", tags: tag, searchText: "code" });
});

test("a tag leads to the entries that have it, of every type @all", async ({ page, cairn }) => {
  await open(page, await pathTo(cairn, heron.repository), heron.repository);
  await page.getByRole("list", { name: "Tags" }).getByRole("link", { name: "md, namd" }).click();
  await expectFilters(page, { resourceTypes: "REPOSITORY,NOTEBOOK,DATASET,MODEL", tags: "md\\, namd" });
  await expect(card(page, heron.repository)).toBeVisible();
});

test("Back uses the filters of an address and nothing else of it @all", async ({ page, cairn }) => {
  const path = await pathTo(cairn, heron.model);
  const all = "/resources?resourceTypes=REPOSITORY,NOTEBOOK,DATASET,MODEL";
  for (const [from, leads] of [
    ["", all],
    ["//evil.example", all],
    ["https://evil.example/?tags", all],
    ["javascript:window.taken=1", all],
    ["evil=1&redirect=//evil.example", all],
    ["resourceTypes=SPELL&page=-1&sort=colour", all],
    ["resourceTypes=MODEL,SPELL&tags=a%5C%2Cb&searchText=x&sort=stars&page=2&evil=1", "/resources?resourceTypes=MODEL&tags=a%5C,b&searchText=x&sort=stars&page=2"],
  ] as const) {
    await page.goto(`${path}?${new URLSearchParams({ from })}`);
    await expect(page.getByRole("link", { name: "Back", exact: true })).toHaveAttribute("href", leads);
  }
});

test("a dataset: its picture, its address, and the paths of a session @all", async ({ page, cairn, watch }) => {
  watch.expects(/status of 404 .*cover/);
  await page.route("**/cover?*", (route) => route.fulfill({ contentType: "image/svg+xml", body: '<svg xmlns="http://www.w3.org/2000/svg" width="900" height="30"/>' }));
  await open(page, await pathTo(cairn, heron.dataset), heron.dataset);
  const picture = page.getByRole("main").locator("img");
  await expect.poll(() => picture.evaluate((each: HTMLImageElement) => each.complete && each.naturalWidth)).toBe(900);
  expect((await picture.boundingBox())?.height).toBe(200);
  const id = new URL(page.url()).pathname.split("/").at(-1);
  await expect(actions(page).getByRole("link", { name: "Use in a project" })).toHaveAttribute("href", `/add/project?datasetIds=${id}`);
  const use = page.getByRole("region", { name: "Use this dataset" });
  await expectCopied(page, use.getByRole("button", { name: "Copy path in a session" }), "work/data/heron-calls");
  await use.getByRole("tab", { name: "Address" }).click();
  await expectCopied(page, use.getByRole("button", { name: "Copy address" }), "https://data.example.org/heron-calls");
  await use.getByRole("tab", { name: "In code" }).click();
  await expectCopied(page, use.getByRole("button", { name: "Copy path for programs" }), "$CAIRN_DATASETS/heron-calls");

  await test.step("a picture that can't be loaded leaves its place", async () => {
    await page.unroute("**/cover?*");
    await page.route("**/cover?*", (route) => route.fulfill({ status: 404 }));
    await page.reload();
    await watch.saw(/cover/);
    await expect(picture).toBeHidden();
  });

  await test.step("a folder of the server, without its data", async () => {
    await open(page, await pathTo(cairn, heron.folder), heron.folder);
    await expect(page.getByText("Data not on this server", { exact: true })).toBeVisible();
    await expect(use).toHaveCount(0);
    await expect(page.getByText("No description.")).toBeVisible();
  });
});

test("a model leads to an experiment on the workflow platform, in a new tab @all", async ({ page, cairn }) => {
  await open(page, await pathTo(cairn, heron.model), heron.model);
  const address = "https://airavata.example.org/create?app=a%2Fb%20%26c";
  const create = page.getByRole("link", { name: "Create Heron model (2.1) in Airavata" });
  await expect(create).toHaveAttribute("href", address);
  await expect(create).toHaveAttribute("target", "_blank");
  await expect(create).toHaveAttribute("rel", /noopener/);
  await unfoldFacts(page);
  await expect(fact(page, "Version")).toHaveText("2.1");
  await expect(fact(page, "Run").getByRole("link", { name: "On Airavata" })).toHaveAttribute("href", address);
  await expect(page.getByRole("link", { name: "Use in a project" })).toHaveCount(0);
  await expect(page.getByRole("region", { name: "Associated Projects" })).toHaveCount(0);
  await expectAccessible(page);

  await open(page, await pathTo(cairn, heron.bare), heron.bare);
  await expect(page.getByRole("link", { name: "Create Heron model of no version in Airavata", exact: true })).toBeVisible();

  // No workflow platform is configured.
  await page.route("**/resources/models/*", async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, body: (await answer.text()).replace("https://airavata.example.org/create?app={applicationInterfaceId}", "") });
  });
  await page.reload();
  const off = page.getByRole("button", { name: "Create Heron model of no version in Airavata" });
  await expect(off).toHaveAttribute("aria-disabled", "true");
  await expect(off).toHaveAccessibleDescription("The operators haven't set an address for Airavata.");
  await expect(page.getByRole("main").getByText("The operators haven't set an address for Airavata.").last()).toBeVisible();
  await expect(facts(page).getByText("Run", { exact: true })).toHaveCount(0);
});

test("a notebook has its page too @all", async ({ page, cairn }) => {
  await open(page, await pathTo(cairn, heron.notebook), heron.notebook);
  await expect(page.getByRole("main").getByText("Notebook", { exact: true }).and(page.locator(":not(h2, a)"))).toBeVisible();
  await expect(page.getByRole("region", { name: "Notebook", exact: true })).toContainText("hodgkin-huxley-spike.ipynb");
  await expect(page.getByRole("region", { name: "About" }).getByRole("heading", { name: "Herons" })).toBeVisible();
  await expectAccessible(page);
});

test("a citation is taken in three formats, with the keyboard alone @all", async ({ page, cairn }) => {
  const path = await pathTo(cairn, heron.dataset);
  const address = `${cairn.url}/id/${path.split("/").at(-1)}`;
  await page.route("**/cover?*", (route) => route.fulfill({ contentType: "image/svg+xml", body: "<svg/>" }));
  await open(page, path, heron.dataset);
  const opener = actions(page).getByRole("button", { name: "Cite" });
  await opener.focus();
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Cite this dataset" });
  const tab = (name: string) => dialog.getByRole("tab", { name });
  await expect(tab("BibTeX")).toHaveAttribute("aria-selected", "true");
  const today = new Date();
  const year = today.getUTCFullYear();
  const bibtex = `@dataset{doe${year}heron,
  author = {Doe, Jane},
  title = {{Heron calls, 50\\% \\& more}},
  year = {${year}},
  month = {${today.getUTCMonth() + 1}},
  publisher = {Cairn},
  url = {${address}}
}`;
  await expectCopied(page, dialog.getByRole("button", { name: "Copy citation as BibTeX" }), bibtex);
  await expectAccessible(page);
  await tab("BibTeX").focus();
  await page.keyboard.press("ArrowRight");
  await expect(tab("APA")).toBeFocused();
  const apa = `Doe, J. (${year}). ${heron.dataset} [Data set]. Cairn. ${address}`;
  await expectCopied(page, dialog.getByRole("button", { name: "Copy citation as APA" }), apa);
  await tab("APA").focus();
  await page.keyboard.press("End");
  await expect(tab("CSL-JSON")).toBeFocused();
  const [item] = JSON.parse(await copied(page, dialog.getByRole("button", { name: "Copy citation as CSL-JSON" })));
  expect(item).toMatchObject({ type: "dataset", title: heron.dataset, author: [{ family: "Doe", given: "Jane" }], URL: address });
  await tab("CSL-JSON").focus();
  await page.keyboard.press("ArrowRight");
  await expect(tab("BibTeX")).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
  await expect(opener).toBeFocused();
});
