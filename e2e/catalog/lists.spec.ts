import { expectSoon } from "../support/answers";
import { card, cards, collectCalls, expectFilters, expectTotal, listCalls, searchBox } from "../support/catalog";
import { series } from "./entries";
import { expect, test, total } from "./fixtures";

const pages = [
  ["notebooks", "Notebooks", "NOTEBOOK", "Worked examples with text, code and plots"],
  ["repositories", "Repositories", "REPOSITORY", "Code with its full history"],
  ["datasets", "Datasets", "DATASET", "Data that sessions read"],
  ["models", "Models", "MODEL", "Versioned applications"],
] as const;

for (const [path, title, type, description] of pages) {
  test(`/resources/${path} lists its type, and its search box works`, async ({ page, cairn }) => {
    const calls = collectCalls(page);
    await page.goto(`/resources/${path}`);
    await expect(page.getByRole("heading", { level: 1, name: title, exact: true })).toBeVisible();
    await expect(page).toHaveTitle(`${title} · Cairn`);
    await expect(page.getByText(description)).toBeVisible();
    await expectTotal(page, await total(cairn, `?type=${type}`));
    await searchBox(page).fill("quokka");
    await expectFilters(page, { searchText: "quokka" }, `/resources/${path}`);
    await expectTotal(page, await total(cairn, `?type=${type}&nameSearch=quokka`));
    await expect(card(page, `Quokka ${type.toLowerCase()}`)).toBeVisible();
    expect(calls.map(({ pathname, searchParams }) => `${pathname} ${searchParams.get("type")}`)).toEqual([
      `/api/v1/rf/resources ${type}`,
    ]);
    await page.reload();
    await expect(searchBox(page)).toHaveValue("quokka");
    await expect(card(page, `Quokka ${type.toLowerCase()}`)).toBeVisible();
  });
}

test("the grid has 1 column, 2 from 768 px and 3 from 1280 px @all", async ({ page }) => {
  await page.goto("/resources/datasets");
  const columns = () =>
    cards(page).evaluateAll((all) => all.filter((each) => each.getBoundingClientRect().top === all[0]?.getBoundingClientRect().top).length);
  for (const [width, count] of [
    [390, 1],
    [767, 1],
    [768, 2],
    [1279, 2],
    [1280, 3],
  ] as const) {
    await page.setViewportSize({ width, height: 800 });
    await expect.poll(columns, `at ${width} px`).toBe(count);
  }
});

test("a list goes on past the first hundred, in the order that is chosen @all", async ({ page }) => {
  await page.goto("/resources/datasets?searchText=series");
  await expectTotal(page, series.count);
  await page.getByLabel("Sorted by").selectOption("name");
  await page.getByRole("button", { name: "Next" }).click();
  await expectFilters(page, { searchText: "series", sort: "name", page: "2" }, "/resources/datasets");
  await expect(cards(page)).toHaveCount(series.count - 100);
  await expect(cards(page).first().getByRole("heading")).toHaveText("Series 101");
});

test("nothing found and a failure are told in place @all", async ({ page, watch }) => {
  watch.expects(/status of 500/);
  await page.clock.install();
  await page.goto("/resources/models?searchText=no+such+model");
  await expect(page.getByText("Nothing matches “no such model”.")).toBeVisible();
  const message = JSON.stringify({ message: "Something went wrong on the server." });
  await page.route(listCalls, (route) => route.fulfill({ status: 500, contentType: "application/problem+json", body: message }));
  await searchBox(page).fill("quokka");
  const state = page.getByRole("main").getByRole("alert");
  await expectSoon(page, state);
  await expect(state).toContainText("The models couldn't be loaded.");
  await page.unroute(listCalls);
  await state.getByRole("button", { name: "Retry" }).click();
  await expect(card(page, "Quokka model")).toBeVisible();
});
