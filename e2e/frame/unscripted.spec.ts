import { entryPath } from "../budget/routes";
import { expectNoSidewaysScroll } from "../support/accessible";
import { expect, test } from "../support/test";

test.use({ javaScriptEnabled: false });

test("without scripts the first screen says what is missing", async ({ page }) => {
  await page.goto("/");
  const line = page.locator("main noscript p");
  await expect(line).toContainText("Turn on JavaScript");
  await expect(line).toBeInViewport({ ratio: 1 });
  await expect(line.locator("a")).toHaveAttribute("href", "/api/docs");
});

test("without scripts the catalog is searched and read", async ({ page }) => {
  await page.goto("/");
  await page.getByRole("searchbox").fill("neuron");
  await page.getByRole("searchbox").press("Enter");
  await expect(page).toHaveURL(/\/resources\?searchText=neuron$/);
  await expect(page.getByRole("searchbox", { name: "Search the catalog" })).toHaveValue("neuron");
  const cards = page.getByRole("article");
  await expect(page.getByRole("heading", { level: 2, name: /^\d+ results$/ })).toBeVisible();
  await expect(cards.first()).toContainText("neuro");
  await expect(cards.first().getByRole("link")).toHaveAttribute("href", /^\/resources\/\w+\/[\w-]+$/);
  for (const kind of ["Notebooks", "Repositories", "Datasets", "Models"]) {
    await page.goto(`/resources/${kind.toLowerCase()}`);
    await expect(page.getByRole("heading", { level: 1, name: kind })).toBeVisible();
    await expect(cards.first().getByRole("link")).toHaveAttribute("href", /^\/resources\/\w+\/[\w-]+$/);
  }
});

test("without scripts entries and events are read in full", async ({ page, cairn }) => {
  const main = page.getByRole("main");
  const seen = {
    NOTEBOOK: main.locator("iframe"),
    DATASET: main.getByRole("listitem").getByRole("link", { name: "README.md" }),
    REPOSITORY: main.getByRole("link", { name: /github\.com/ }).first(),
    MODEL: main.getByText("Models run as experiments"),
  };
  for (const type of ["NOTEBOOK", "DATASET", "REPOSITORY", "MODEL"] as const) {
    await page.goto(await entryPath(cairn, type));
    await expect(page.getByRole("heading", { level: 1 })).not.toBeEmpty();
    await expect(main.locator("#about + div p").first()).toBeVisible();
    const author = main.getByText(/^Authors?$/);
    // A narrow window folds the facts.
    if (await author.isHidden()) await main.getByText("Facts", { exact: true }).click();
    await expect(author).toBeVisible();
    await expect(seen[type]).toBeVisible();
    await expect(main.getByRole("button")).toHaveCount(0);
    await expectNoSidewaysScroll(page);
    const parts = main.getByRole("navigation", { name: "Parts of this page" }).getByRole("link");
    for (const part of await parts.all()) {
      await part.click();
      await expect(page.locator("h2:target")).toBeInViewport();
    }
  }
  await page.goto("/resources?searchText=first+steps");
  await page.goto((await main.getByRole("link", { name: "First steps", exact: true }).getAttribute("href")) ?? "");
  await expect(main.getByRole("region", { name: "Related entries" }).getByRole("listitem")).not.toHaveCount(0);
  const projects = main.getByRole("region", { name: "Associated Projects" });
  await expect(projects.getByRole("link").first()).toHaveAttribute("href", /^\/projects\/[\w-]+$/);
  await page.goto("/sessions"); // all of it comes with the script
  await expect(page.locator("main noscript p")).toBeVisible();
  await expect(main.locator("h1")).toBeHidden();

  await page.goto("/events");
  await main.getByText("Data-Driven and Large-Scale Modeling in Neuroscience").click();
  await expect(main.getByRole("cell", { name: "Computing with Neural Oscillators" })).toBeVisible();
});
