import { collectCalls } from "../support/catalog";
import { watchFirstPaint } from "../support/paint";
import { openAs, people } from "../support/people";
import { heron, turning, turningEntry } from "./entries";
import { expect, open, pathTo, test } from "./fixtures";

const entryCall = /\/api\/v1\/rf\/resources\/public\/[0-9a-f-]{36}$/;

test("a public entry comes with its document: head, data, no request, nothing moves", async ({ page, cairn }) => {
  const path = await pathTo(cairn, heron.repository);
  const paint = await watchFirstPaint(page, "Loading the entry");
  const calls = collectCalls(page);
  await open(page, `${path}?from=tags%3Dheron`, heron.repository);
  await expect(page).toHaveTitle(`${heron.repository} · Cairn`);
  const address = `${cairn.url}${path}`;
  await expect(page.locator('link[rel="canonical"]')).toHaveAttribute("href", address);
  await expect(page.locator('meta[property="og:url"]')).toHaveAttribute("content", address);
  await expect(page.locator('meta[name="description"]')).toHaveAttribute("content", /^Herons Some bold words, a link/);
  const schema = JSON.parse((await page.locator('script[type="application/ld+json"]').textContent()) ?? "");
  expect(schema).toMatchObject({
    ...{ "@type": "SoftwareSourceCode", "@id": `${cairn.url}/id/${path.split("/").at(-1)}`, url: address, name: heron.repository, keywords: ["Aves", "heron", "md, namd"] },
    codeRepository: "https://github.com/maker/heron",
  });
  await page.waitForLoadState("networkidle");
  expect(calls.filter(({ pathname }) => entryCall.test(pathname))).toEqual([]);
  expect(await paint.skeletons()).toBe(0);
  expect(await paint.moved()).toBeLessThan(0.01);

  // The head describes only this entry.
  await page.getByRole("link", { name: "Back", exact: true }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Research Catalog" })).toBeVisible();
  await expect(page.locator("head [data-entry]")).toHaveCount(0);
});

test("who is signed in sees it at once, then what is theirs by one request", async ({ page, cairn }) => {
  const path = await pathTo(cairn, turning("phone")).catch(() => pathTo(cairn, turning("desktop")));
  await openAs(page, people.researcher, "/resources/starred");
  const calls = collectCalls(page);
  await page.route(entryCall, async (route) => {
    await expect(page.getByRole("button", { name: "Star", exact: true })).toBeVisible();
    await expect(page.getByRole("button", { name: "Delete" })).toHaveCount(0);
    await route.continue();
  });
  await page.goto(path);
  await expect(page.getByRole("button", { name: "Delete" })).toBeVisible();
  expect(calls.filter(({ pathname }) => entryCall.test(pathname))).toHaveLength(1);
});

test("other spellings of the type lead to the right address", async ({ page, cairn, request }) => {
  const path = await pathTo(cairn, heron.model);
  const id = path.split("/").at(-1);
  for (const spelling of ["MODEL", "model", "Models", "datasets", "anything", "starred"]) {
    const answer = await request.get(`/resources/${spelling}/${id}?from=tags%3Dheron`, { maxRedirects: 0 });
    expect([answer.status(), answer.headers().location]).toEqual([307, `${path}?from=tags%3Dheron`]);
  }
  await page.goto(`/resources/MODEL/${id}?from=tags%3Dheron`);
  await expect(page).toHaveURL(`${path}?from=tags%3Dheron`);
  await expect(page.getByRole("heading", { level: 1, name: heron.model, exact: true })).toBeVisible();
});

test("an entry that turns private is gone for those who have its document", async ({ page, cairn, request, watch }, { project }) => {
  watch.expects(/status of 404/);
  const name = turning(project.name);
  const path = await pathTo(cairn, name);
  await open(page, path, name);
  const before = await request.get(path);
  const known = { headers: { "If-None-Match": before.headers().etag ?? "" } };
  expect((await request.get(path, known)).status()).toBe(304);
  await cairn.import(turningEntry(project.name, "PRIVATE"));
  const after = await request.get(path, known);
  expect(after.status()).toBe(404);
  expect(await after.text()).not.toMatch(/Turning|data-entry|first-data/);
  await page.reload();
  await expect(page.getByRole("heading", { level: 1, name: /^This entry doesn't exist/ })).toBeVisible();
  await expect(page.locator("head [data-entry]")).toHaveCount(0);
});
