import { card, cards, collectCalls, expectTotal, gate, listCalls, searchBox } from "../support/catalog";
import { watchFirstPaint } from "../support/paint";
import { openAs, people } from "../support/people";
import { hidden, series } from "./entries";
import { expect, test, total } from "./fixtures";

test("the first answer comes with the document: no request, no skeleton, nothing moves", async ({ page, cairn }) => {
  const paint = await watchFirstPaint(page, "Loading entries");
  const calls = collectCalls(page);
  for (const [query, api] of [
    ["", ""],
    ["?resourceTypes=REPOSITORY,NOTEBOOK,DATASET,MODEL", ""],
    ["?resourceTypes=NOTEBOOK,SPELL&searchText=quokka+note&sort=newest", "?type=NOTEBOOK&nameSearch=quokka+note"],
    [`?tags=${series.tag}&page=2`, `?tag=${series.tag}`],
    ["?tags=zoo,md%5C%2C+namd,back%5C%5Cslash", "?tag=zoo,md%5C%2C+namd,back%5C%5Cslash"],
    ["?searchText=%22visual+cortex%22+%E2%9C%93+*~%27()", "?nameSearch=%22visual+cortex%22+%E2%9C%93+*~%27()"],
  ] as const) {
    await page.goto(`/resources${query}`);
    const found = await total(cairn, api);
    if (found === 0) await expect(page.getByText("No resources found with the following criteria")).toBeVisible();
    else await expectTotal(page, found);
    expect(await paint.skeletons(), query).toBe(0);
    expect(await paint.moved(), query).toBeLessThan(0.01);
  }
  for (const path of ["notebooks", "repositories", "datasets?page=2", "models?searchText=quokka"]) {
    await page.goto(`/resources/${path}`);
    await expect(cards(page).first()).toBeVisible();
    expect(await paint.skeletons(), path).toBe(0);
  }
  expect(calls.map(String)).toEqual([]);

  await searchBox(page).fill("quokka model");
  await expectTotal(page, 1);
  expect(calls).toHaveLength(1);
});

test("who is signed in sees the same cards at once, then private ones and stars by one request", async ({ page }) => {
  await openAs(page, people.researcher, "/add");
  const paint = await watchFirstPaint(page, "Loading entries");
  const calls = collectCalls(page);
  const [asked, answered] = [gate(), gate()];
  await page.route(listCalls, async (route) => {
    asked.open();
    await answered.opened;
    await route.continue();
  });
  await page.goto("/resources?tags=zoo");
  await asked.opened;
  await expect(card(page, "Quokka notebook")).toBeVisible();
  await expectTotal(page, 6);
  await expect(card(page, hidden.name)).toHaveCount(0);
  answered.open();
  await expect(card(page, hidden.name)).toBeVisible();
  await expectTotal(page, 7);
  expect(await paint.skeletons()).toBe(0);
  expect(await paint.moved()).toBeLessThan(0.01);
  expect(calls.filter(({ pathname }) => pathname.startsWith("/api/v1/rf/resources"))).toHaveLength(1);
});

test("going back to the catalog from another document shows it @all", async ({ page }) => {
  await page.goto("/resources?tags=zoo");
  await expectTotal(page, 6);
  await page.goto("/events");
  await page.goBack();
  await expectTotal(page, 6);
});

test("the window's title is in the first HTML, and the page keeps it @all", async ({ page, request }) => {
  const answer = await request.get("/api/v1/rf/resources/public?nameSearch=quokka+dataset");
  const [{ id }] = ((await answer.json()) as { content: [{ id: string }] }).content;
  for (const [path, title] of [
    ["/", "Cairn"],
    ["/login", "Sign in · Cairn"],
    ["/events", "Events · Cairn"],
    ["/resources", "Research Catalog · Cairn"],
    ["/resources/notebooks", "Notebooks · Cairn"],
    ["/resources/repositories", "Repositories · Cairn"],
    ["/resources/datasets", "Datasets · Cairn"],
    ["/resources/models", "Models · Cairn"],
    [`/resources/datasets/${id}`, "Quokka dataset · Cairn"],
  ] as const) {
    const html = await (await request.get(path)).text();
    expect(html).toContain(`<title>${title}</title>`);
    await page.goto(path);
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    await expect(page).toHaveTitle(title);
  }
});

test("the document travels compressed, and as nothing when it is known @all", async ({ request }) => {
  const answer = await request.get("/resources");
  expect(answer.headers()).toMatchObject({ "content-encoding": "gzip", "cache-control": "no-cache" });
  const again = await request.get("/resources", { headers: { "If-None-Match": answer.headers().etag ?? "" } });
  expect(again.status()).toBe(304);
});

test("crawlers find every public entry by the sitemaps", async ({ request, cairn }) => {
  expect(await (await request.get("/robots.txt")).text()).toContain(`Sitemap: ${cairn.url}/sitemap.xml`);
  const found: string[] = [];
  const locations = (text: string) => [...text.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, address]) => address ?? "");
  for (const part of locations(await (await request.get("/sitemap.xml")).text())) {
    found.push(...locations(await (await request.get(part.replaceAll("&amp;", "&"))).text()));
  }
  expect(found.filter((address) => /\/resources\/\w+\/[0-9a-f-]{36}$/.test(address))).toHaveLength(await total(cairn, ""));
});
