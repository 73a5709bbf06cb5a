import type { BrowserContext, Page } from "@playwright/test";
import { callAs } from "../support/calls";
import { expectIdle } from "../support/jupyter";
import { chooseAccount, openAs, people } from "../support/people";
import { deleteAllSessions, expectNothingRuns, newTab, openDemoRepository } from "../support/sessions";
import { expect, test } from "../support/test";

const opened = /\/notebooks\/first-steps\/first-steps\.ipynb$/;
const startCall = /\/api\/v1\/rf\/sessions$/;

const runButton = (page: Page) => page.getByRole("main").getByRole("button", { name: "Run", exact: true });

/** The id of the demo's repository. */
async function demoRepository(url: string): Promise<string> {
  const found = await fetch(`${url}/api/v1/rf/resources/search?type=REPOSITORY&name=First+steps`);
  const [repository] = (await found.json()) as { id: string }[];
  return repository?.id ?? "";
}

/** Counts the clicks that people make in the pages of a context. */
async function countClicks(context: BrowserContext): Promise<() => number> {
  let clicks = 0;
  await context.exposeBinding("tellOfClick", () => {
    clicks++;
  });
  await context.addInitScript(() => {
    const { tellOfClick } = window as unknown as { tellOfClick: () => void };
    addEventListener("click", ({ isTrusted }) => isTrusted && tellOfClick(), true);
  });
  return () => clicks;
}

/** Runs the cells of the open notebook with Shift+Enter until one has drawn a plot. */
async function computePlot(notebook: Page): Promise<void> {
  await expect(notebook).toHaveURL(/\.ipynb$/, { timeout: 180_000 });
  await expectIdle(notebook);
  // The notebook comes with the plots of its authors.
  await notebook.locator(".output_png img").evaluateAll((plots) => plots.map((plot) => plot.setAttribute("data-old", "")));
  const cells = await notebook.locator(".cell").count();
  for (let cell = 0; cell < cells; cell++) await notebook.keyboard.press("Shift+Enter");
  await expect(notebook.locator(".output_png img:not([data-old])").first()).toBeAttached({ timeout: 180_000 });
  await notebook.close();
}

test("a plot is three clicks from the landing page, or four for a first visitor @all", async ({ page, cairn, watch }) => {
  test.slow();
  watch.expects(/about:blank/); // a font that the formulas of Jupyter look for
  const clicks = await countClicks(page.context());
  const firstNotebook = (of: Page) =>
    of.getByRole("main").getByRole("article").filter({ has: of.getByText("Notebook", { exact: true }) }).first().getByRole("heading").getByRole("link");

  await page.goto("/");
  const visited = await newTab(page, firstNotebook(page));
  await runButton(visited).click();
  await chooseAccount(visited, people.researcher); // the session starts by itself, in this tab
  await computePlot(visited);
  expect(clicks()).toBeLessThanOrEqual(4);

  await page.goto("/");
  const before = clicks();
  const opened = await newTab(page, firstNotebook(page));
  await expect(opened.getByRole("link", { name: "Open your running session" })).toHaveAttribute("href", /^\/sessions\/[0-9a-f-]{36}\/open$/);
  await computePlot(await newTab(opened, runButton(opened)));
  expect(clicks() - before).toBeLessThanOrEqual(3);
  for (const { id } of await callAs<{ id: string }[]>(page, "GET", "/sessions/")) await callAs(page, "DELETE", `/sessions/${id}`);
  await expectNothingRuns(cairn);
});

test("a link to run something survives the sign-in, and one click on an entry leads to its notebook @all", async ({ page, cairn }) => {
  const address = `/run/${await demoRepository(cairn.url)}?file=first-steps.ipynb&name=Spikes%20by%20link&TOKEN=x`;
  await page.goto(address);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Run First steps");
  await expect(page.getByText(/parameter TOKEN isn't used/)).toBeVisible();
  await page.getByRole("button", { name: "Sign in to run" }).click();
  await chooseAccount(page, people.colleague);
  await expect(page).toHaveURL(address);
  await expect(page.getByText("Spikes by link")).toBeVisible();

  const byLink = await newTab(page, runButton(page));
  await expect(byLink).toHaveURL(opened, { timeout: 180_000 });
  await byLink.close();

  await openDemoRepository(page);
  const byClick = await newTab(page, runButton(page));
  await expect(byClick).toHaveURL(opened, { timeout: 180_000 });
  await byClick.close();

  await page.goto("/sessions");
  await expect(page.getByRole("main").getByRole("article", { name: "Spikes by link" })).toBeVisible();
  await deleteAllSessions(page);
  await expectNothingRuns(cairn);
});

test("a refusal closes the new tab and is read where the button is @all", async ({ page, cairn, watch }) => {
  watch.expects(/status of 422/, /The session cannot be opened/);
  await openAs(page, people.colleague, `/run/${await demoRepository(cairn.url)}?ref=nowhere`);
  const said = page.getByText("Error starting session").waitFor();
  const body = { status: 422, title: "Invalid", code: "ref_not_found", detail: "There is no branch nowhere." };
  await page.context().route(startCall, (route) =>
    route.request().method() === "POST"
      ? route.fulfill({ status: 422, contentType: "application/problem+json", body: JSON.stringify(body) })
      : route.continue(),
  );
  const tab = await newTab(page, runButton(page));
  await said;
  await expect.poll(() => tab.isClosed()).toBe(true);
});

test("at the limit the button says so, and the sessions to stop are there @all", async ({ page, cairn }) => {
  await openAs(page, people.colleague, "/events");
  const limit = (await callAs<{ sessions: { limit: number } }>(page, "GET", "/config")).sessions.limit;
  const session = (nth: number) => ({
    ...{ id: `01900000-0000-7000-8000-0000000000${10 + nth}`, sessionName: `Run ${nth}`, status: "RUNNING", statusReason: "" },
    ...{ createdAt: new Date().toISOString(), project: { id: "", name: "x" } },
  });
  await page.route(startCall, (route) => route.fulfill({ json: Array.from({ length: limit }, (_, nth) => session(nth)) }));
  await page.goto(`/run/${await demoRepository(cairn.url)}`);
  await expect(page.getByRole("main").locator("p", { hasText: `You already have ${limit} sessions` })).toBeVisible();
  await expect(runButton(page)).toHaveAttribute("aria-disabled", "true");
  await expect(page.getByRole("button", { name: "Terminate session Run 0" })).toBeVisible();
});

test("an account that waits reads whom to ask before it presses the button @all", async ({ page, cairn }) => {
  await openAs(page, people.newcomer, `/run/${await demoRepository(cairn.url)}`);
  await expect(page.getByRole("main").locator("p", { hasText: "operators have to enable your account" })).toBeVisible();
  await expect(runButton(page)).toHaveAttribute("aria-disabled", "true");
});

/** The addresses at this server, its session origin too, that the open page has. */
function linksOf(page: Page): Promise<string[]> {
  return page.locator("[href], [src]").evaluateAll((elements) =>
    elements
      .map((element) => element as HTMLAnchorElement & HTMLImageElement)
      .map(({ href, src }) => new URL(href || src, location.href))
      .filter(({ hostname, protocol }) => /(^|\.)(127\.0\.0\.1|localhost)$/.test(hostname) && protocol.startsWith("http"))
      .map(({ href }) => href.replace(/#.*/, "")),
  );
}

test("whoever follows every link by GET and HEAD starts nothing @all @desktop", async ({ page, cairn, watch }) => {
  watch.expects(/status of 50[23]/); // of what is at GitHub
  await openAs(page, people.researcher, "/resources");
  const { content } = (await (await fetch(`${cairn.url}/api/v1/rf/resources/public?pageSize=100`)).json()) as {
    content: { id: string; type: string }[];
  };
  const started = await callAs<{ id: string }>(page, "POST", "/sessions/", { resourceId: await demoRepository(cairn.url) });
  const states = async () =>
    (await callAs<{ id: string; status: string }[]>(page, "GET", "/sessions/")).map(({ id, status }) => `${id} ${status}`);
  await expect.poll(states).toEqual([`${started.id} RUNNING`]);
  await callAs(page, "PATCH", `/sessions/${started.id}?status=TERMINATED`);
  await expect.poll(states).toEqual([`${started.id} TERMINATED`]);

  const entries = ["REPOSITORY", "NOTEBOOK", "DATASET", "MODEL"].map((type) => content.find((entry) => entry.type === type));
  const links = new Set<string>([`${cairn.url}/sessions/${started.id}/open`, `${cairn.url}/sessions/${started.id}/launch`]);
  for (const { id } of content) {
    for (const path of [`/run/${id}?file=a.ipynb`, `/badge/${id}.svg`, `/badge/${id}.json`]) links.add(cairn.url + path);
  }
  const pages = ["repositories", "notebooks", "datasets", "models"].map((kind, at) => `/resources/${kind}/${entries[at]?.id}`);
  pages.push(...entries.map((entry) => `/run/${entry?.id}`));
  for (const path of ["/", "/resources", "/sessions", "/events", "/add", "/resources/starred", ...pages]) {
    await page.goto(path);
    await page.waitForLoadState("networkidle");
    // The frames of notebooks have names that only browsers resolve, and this browser has loaded them.
    for (const link of await linksOf(page)) if (!new URL(link).hostname.endsWith(".localhost")) links.add(link);
  }
  expect(links.size).toBeGreaterThan(150);
  const visited = new Set<string>();
  for (const link of links) {
    for (const method of ["GET", "HEAD"]) {
      const answer = await page.request.fetch(link, { method });
      expect(answer.status(), `${method} ${link}`).not.toBe(500);
      visited.add(answer.url());
    }
  }
  expect([...visited].some((link) => link.includes("/resources/notebooks/"))).toBe(true);
  expect(await states()).toEqual([`${started.id} TERMINATED`]);
  await callAs(page, "DELETE", `/sessions/${started.id}`);
  await expectNothingRuns(cairn);
});

const files = [
  ...["plain.ipynb", "a b.ipynb", "figures #3.ipynb", "why?.ipynb", "100%.ipynb", "%41.ipynb", "R&D.ipynb", "c++.ipynb", "a=b.ipynb", "a;b,c.ipynb"],
  ...["it's (final)!*.ipynb", 'say "hi".ipynb', "[x](y).ipynb", "أرقام.ipynb", "עברית/מחברת.ipynb", "分析/図1.ipynb", "été.ipynb", "😀.ipynb"],
  ...["deep/er/and deeper/x.ipynb", "under_"],
];
const refs = ["", "feature/new-plots", "release/2.0#rc=1&x?%"];

test("60 awkward links ask for the very file and branch that they name @all", async ({ page, cairn }) => {
  test.slow();
  const id = await demoRepository(cairn.url);
  await page.goto(`/resources/repositories/${id}`);
  await page.getByRole("button", { name: "Share" }).click();
  await page.getByText("A specific file or branch").click();
  const links: { file: string; ref: string; link: string }[] = [];
  for (const file of files) {
    for (const ref of refs) {
      await page.getByLabel("File to open").fill(file);
      await page.getByLabel("Branch, tag or commit").fill(ref);
      links.push({ file, ref, link: (await page.locator("pre", { hasText: "/run/" }).textContent()) ?? "" });
    }
  }
  expect(links.length).toBe(60);
  const asked: unknown[] = [];
  await page.context().route(startCall, (route) => {
    if (route.request().method() !== "POST") return route.continue();
    asked.push(route.request().postDataJSON());
    return route.fulfill({ status: 201, json: { openUrl: `${cairn.url}/events` } });
  });
  for (const [nth, { link }] of links.entries()) {
    await page.goto(link);
    if (nth === 0) {
      await page.getByRole("button", { name: "Sign in to run" }).click();
      await chooseAccount(page, people.colleague);
      await expect(page).toHaveURL(link);
    }
    const tab = await newTab(page, runButton(page));
    await expect(tab).toHaveURL("/events");
    await tab.close();
  }
  expect(asked).toEqual(links.map(({ file, ref }) => ({ resourceId: id, file, ...(ref && { ref }) })));
});
