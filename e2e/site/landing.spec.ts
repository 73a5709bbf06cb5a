import type { Locator, Page, Route } from "@playwright/test";
import { expectAccessible, expectNoSidewaysScroll } from "../support/accessible";
import { expectSoon } from "../support/answers";
import { watchFirstPaint } from "../support/paint";
import { running } from "../support/people";
import { expect, test } from "../support/test";

const landing = /\/resources\/landing/;

/** Navigates to the landing page from another one, so that it fetches the entries itself. */
async function arrive(page: Page): Promise<void> {
  await page.goto("/events");
  await running(page);
  await page.getByRole("banner").getByRole("link", { name: "Cairn" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Find research you can run" })).toBeVisible();
}

/** Waits until the pictures are there, whole. */
async function expectLoaded(pictures: Locator): Promise<void> {
  const broken = () =>
    pictures.evaluateAll((all) => all.filter((one) => !(one as HTMLImageElement).naturalWidth).length);
  await expect.poll(broken).toBe(0);
}

test("the landing page has all its parts, at once and without a jump", async ({ page, cairn }) => {
  const paint = await watchFirstPaint(page, "Loading entries");
  await page.goto("/");
  const main = page.getByRole("main");
  await expect(
    main.getByRole("img", {
      name: /^The catalog: neuroscience notebooks/,
    }),
  ).toBeVisible();
  await expect(main.getByRole("heading", { level: 2 })).toHaveText([
    "How it works",
    "New in the catalog",
    "Main features",
    "Science extensions",
    "Collaborating institutions",
    "Funding sponsor",
  ]);
  const region = (name: string) => page.getByRole("region", { name });
  await expect(region("Main features").getByRole("heading", { level: 3 })).toHaveText([
    "User productivity",
    "Extensibility & collaborations",
    "Third-party app integrations",
    "Reproducible computations",
  ]);
  await expect(region("Collaborating institutions").getByRole("listitem")).toHaveText([
    "Georgia Tech",
    "Indiana University",
    "University of Illinois",
    "University of California San Diego",
    "Allen Institute for Brain Science",
  ]);
  for (const award of ["2209872", "2209873", "2209874", "2209875"]) {
    const grant = region("Funding sponsor").getByRole("link", {
      name: `CSSI-${award}`,
    });
    await expect(grant).toHaveAttribute("target", "_blank");
    await expect(grant).toHaveAttribute(
      "href",
      `https://nsf.gov/awardsearch/showAward?AWD_ID=${award}&HistoricalAwards=false`,
    );
  }

  await test.step("its icons are there", async () => {
    const icons = page.locator('link[rel="icon"], link[rel="apple-touch-icon"]');
    await expect(icons).toHaveCount(2);
    for (const icon of await icons.all()) {
      expect((await page.request.get((await icon.getAttribute("href")) ?? "")).headers()["content-type"]).toMatch(/^image/);
    }
  });

  await test.step("the counts and the entries are those of the catalog", async () => {
    const answer = await page.request.get(`${cairn.url}/api/v1/rf/resources/landing`);
    const { content, facets, totalElements } = await answer.json();
    const now = region("New in the catalog");
    for (const [type, plural] of [
      ["REPOSITORY", "Repositories"],
      ["NOTEBOOK", "Notebooks"],
      ["DATASET", "Datasets"],
      ["MODEL", "Models"],
    ] as const) {
      await expect(now.getByRole("link", { name: plural })).toHaveText(`${facets.types[type]}${plural}`);
    }
    await expect(now.getByRole("article").getByRole("heading")).toHaveText(
      content.map(({ name }: { name: string }) => name),
    );
    await expect(now.getByRole("link", { name: `See all ${totalElements} entries` })).toBeVisible();
  });

  await test.step("covers are there, and each kind has an entry", async () => {
    const cards = region("New in the catalog").getByRole("article");
    const covers = cards.locator("img");
    await expect(covers).not.toHaveCount(0);
    for (const cover of await covers.all()) await cover.scrollIntoViewIfNeeded();
    await expectLoaded(covers);
    for (const kind of ["Repository", "Notebook", "Dataset", "Model"]) {
      await expect(cards.getByText(kind, { exact: true })).not.toHaveCount(0);
    }
  });

  await test.step("how it works, in pictures", async () => {
    const steps = region("How it works");
    await expect(steps.getByRole("listitem").getByRole("heading")).toHaveText(["Find", "Run", "Trust", "Keep and cite"]);
    const pictures = steps.getByRole("img", { name: /\w/ });
    await expect(pictures).toHaveCount(4);
    for (const picture of await pictures.all()) await picture.scrollIntoViewIfNeeded();
    await expectLoaded(pictures);
  });

  await test.step("each example of a search finds entries", async () => {
    const examples = main.locator('a[href^="/resources?searchText="]');
    await expect(examples).toHaveCount(3);
    for (const example of await examples.allTextContents()) {
      const query = new URLSearchParams({ nameSearch: example });
      const answer = await page.request.get(`${cairn.url}/api/v1/rf/resources/public?${query}`);
      const { totalElements, hint } = await answer.json();
      expect([totalElements > 0, hint], example).toEqual([true, undefined]);
    }
  });

  await test.step("nothing came late or moved, and nothing is too wide or hard to reach", async () => {
    expect(await paint.skeletons()).toBe(0);
    expect(await paint.moved()).toBeLessThan(0.02);
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
    await page.setViewportSize({ width: 320, height: 640 });
    await expectNoSidewaysScroll(page);
  });

  await test.step("each extension leads to entries", async () => {
    for (const [field, tag] of [
      ["Molecular dynamics", "molecular-dynamics"],
      ["Neuroscience", "neuroscience"],
    ] as const) {
      await page.goto("/");
      await region("Science extensions")
        .getByRole("link", { name: `${field} in the catalog` })
        .click();
      await expect(page).toHaveURL(`/resources?tags=${tag}`);
      await expect(page.getByRole("main").getByRole("article").first()).toContainText(tag);
    }
  });
});

test("the landing page says when entries are on their way, cannot be read, or are not there @all", async ({
  page,
  watch,
}) => {
  watch.expects(/status of 500 .*resources\/landing/);
  await page.clock.install();
  let answer: (route: Route) => Promise<void> | void = () => {}; // at first, none
  await page.route(landing, (route) => answer(route));
  await arrive(page);
  const now = page.getByRole("region", { name: "New in the catalog" });
  await expect(now.getByText("Loading entries")).toBeAttached();
  await expect(now.getByRole("link", { name: "Notebooks" })).toBeVisible();

  answer = (route) =>
    route.fulfill({
      status: 500,
      json: { title: "Error", status: 500, detail: "No", message: "No" },
    });
  await arrive(page);
  await expectSoon(page, now.getByRole("alert").getByText("The catalog couldn't be loaded."));
  await expectAccessible(page);

  answer = (route) =>
    route.fulfill({
      json: {
        content: [],
        empty: true,
        totalElements: 0,
        totalPages: 0,
        number: 0,
        size: 3,
      },
    });
  await now.getByRole("button", { name: "Retry" }).click();
  await expect(now).toContainText("There are no entries yet.");
  await expect(now.getByRole("link", { name: "Add the first one" })).toHaveAttribute("href", "/add");
});

test("the footer leads to every part, and says whom to ask and which version this is", async ({ page }) => {
  await page.goto("/events");
  const footer = page.getByRole("contentinfo");
  await expect(footer.getByRole("heading", { level: 2 })).toHaveText(["Catalog", "Workspace", "About"]);
  await expect(footer.getByRole("link", { name: "operator@example.org" })).toHaveAttribute(
    "href",
    "mailto:operator@example.org",
  );
  await expect(footer).toContainText(/Version \S+/);
  const links = footer.getByRole("navigation").getByRole("link");
  await expect(links).toHaveCount(12);
  for (const href of await links.evaluateAll((all) => all.map((link) => link.getAttribute("href") ?? ""))) {
    expect((await page.request.get(href)).status(), href).toBe(200);
  }
  for (const box of await Promise.all((await links.all()).map((link) => link.boundingBox()))) {
    expect(box?.height).toBeGreaterThanOrEqual(24);
  }
});
