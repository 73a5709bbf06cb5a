import { gate } from "../support/catalog";
import { expect, test } from "../support/test";
import { catalog, entryPath } from "./routes";

/* What a visitor waits for, counted by holding back everything else. `make bench BENCH=paint` measures how long it takes. */

/** The document, its style sheet, and the scripts that it names. Pictures that it shows hold back none of them. */
const requestBudget = 12;

test("the first paint waits for the document and its style alone, and the content for no answer of the API @desktop", async ({ browser, cairn }) => {
  const cards = ["/", catalog, "/resources/notebooks"];
  for (const path of [...cards, await entryPath(cairn, "REPOSITORY"), await entryPath(cairn, "NOTEBOOK"), "/events", "/login"]) {
    const context = await browser.newContext({ baseURL: cairn.url });
    const page = await context.newPage();
    const asked: string[] = [];
    let named: string[] = [];
    const painted = gate();
    await page.route(/./, async (route) => {
      const what = `${route.request().resourceType()} ${new URL(route.request().url()).pathname}`;
      asked.push(what);
      if (/^(document|stylesheet) /.test(what)) return route.continue();
      await painted.opened;
      // Everything that the document doesn't name goes unanswered.
      if (named.includes(what)) await route.continue();
    });

    await page.goto(path, { waitUntil: "commit" });
    await page.waitForFunction(() => performance.getEntriesByName("first-contentful-paint").length > 0);
    named = asked.filter((what) => !what.startsWith("image "));
    expect(named.map((what) => what.split(" ")[0]).filter((type) => type !== "script"), path).toEqual(["document", "stylesheet"]);
    expect.soft(named.length, `${path} begins with ${named.join(", ")}`).toBeLessThanOrEqual(requestBudget);

    await expect(page.locator("main h1"), `${path} isn't white`).toBeVisible();
    painted.open();
    await expect(page.getByRole("heading", { level: 1 }), path).toBeVisible();
    if (cards.includes(path)) await expect(page.getByRole("article").first(), path).toBeVisible();
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await context.close();
  }
});
