import type { Page } from "@playwright/test";
import { entryPath } from "../budget/routes";
import { CairnServer } from "../support/server";
import { expect, test } from "../support/test";

/* The templates of documents repeat what the page's components say. Whoever changes one of them changes the other. */

/** What only documents say: about themselves, or because a part of the page isn't in them. */
const own = [
  "Turn on JavaScript to run entries and to use all of this page.",
  "Programs can use the API.",
  "More results",
  "Copy Address", // the page has a button for each way to use an entry
  "Included with this server.",
  "Reading the notebook", // the page says it until the notebook is there
];

/** An entry with all that an entry can say of its origin. */
const cited = {
  ...{ kind: "resource", externalId: "cited", type: "MODEL", name: "Bursts", privacy: "PUBLIC", authors: ["ada@example.org", "bo@example.org"] },
  ...{ applicationInterfaceId: "bursts", description: "Finds bursts.", version: "0.9", tags: ["bursts"] },
  ...{ license: "MIT", doi: "10.5281/zenodo.1" },
  people: [
    { name: "Josiah Carberry", orcid: "0000-0002-1825-0097", affiliation: { name: "Brown University", ror: "https://ror.org/05gq02987" } },
    { name: "Ana Miller", role: "DataCurator" },
  ],
  funding: [{ funder: "A foundation", awardNumber: "7", awardTitle: "Bursts in time", awardUrl: "https://awards.example.org/7" }],
  relatedIdentifiers: [{ identifier: "10.1038/nature14539", type: "DOI", relation: "IsSupplementTo" }],
};

/** Returns the texts of a page's elements, and their names. Dates are left out: the page tells how long ago they were. */
function said(page: Page): Promise<string[]> {
  return page.getByRole("main").evaluate((main) => {
    const texts = new Set<string>();
    for (const element of main.querySelectorAll("*:not(time, noscript, svg *)")) {
      const text = [...element.childNodes].map((node) => (node instanceof Text ? node.data : " ")).join("");
      const names = ["alt", "aria-label", "placeholder", "title"].map((name) => element.getAttribute(name) ?? "");
      for (const one of [text, ...names]) texts.add(one.replace(/\s+/g, " ").trim());
    }
    return [...texts];
  });
}

/** Shows a page from its top to its end, because some parts are fetched when they come near. */
async function scrollThrough(page: Page): Promise<void> {
  await page.evaluate(async () => {
    for (let top = 0; top < document.body.scrollHeight; top += innerHeight / 2) {
      scrollTo(0, top);
      await new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next)));
    }
  });
}

test("documents say what their pages say @desktop", async ({ browser }) => {
  test.slow();
  const cairn = await CairnServer.start();
  await cairn.import(cited);
  await expect.poll(() => fetch(`${cairn.url}/people/ana-miller`).then(({ status }) => status)).toBe(200);
  const [reader, visitor] = await Promise.all(
    [false, true].map(async (javaScriptEnabled) => (await browser.newContext({ baseURL: cairn.url, javaScriptEnabled })).newPage()),
  );
  if (!reader || !visitor) throw new Error("no pages");
  const compare = async (path: string) => {
    await reader.goto(path);
    const texts = (await said(reader)).filter((text) => !own.includes(text));
    expect(texts.length, path).toBeGreaterThan(10);
    await visitor.goto(path);
    await expect
      .poll(async () => {
        await scrollThrough(visitor);
        const shown = await said(visitor);
        // Markdown divides texts.
        const all = ((await visitor.getByRole("main").textContent()) ?? "").replace(/\s+/g, " ");
        return texts.filter((text) => !shown.includes(text) && !all.includes(text));
      }, `what only the document of ${path} says`)
      .toEqual([]);
  };
  for (const kind of ["notebooks", "repositories", "datasets", "models"]) await compare(`/resources/${kind}`);
  for (const type of ["NOTEBOOK", "REPOSITORY", "DATASET", "MODEL"] as const) await compare(await entryPath(cairn, type));
  for (const path of ["/", "/resources", "/resources?searchText=bursst", "/events"]) await compare(path);
  for (const path of ["/people/0000-0002-1825-0097", "/people/ana-miller"]) await compare(path);
  const link = reader.getByRole("article").getByRole("link", { name: cited.name });
  await compare((await link.getAttribute("href")) ?? "");
  await Promise.all([reader.context().close(), visitor.context().close()]);
  await cairn.close();
});
