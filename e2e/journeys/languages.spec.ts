import { callAs } from "../support/calls";
import { card } from "../support/catalog";
import { expectIdle } from "../support/jupyter";
import { chooseAccount, openAs, people } from "../support/people";
import { expectNothingRuns, newTab } from "../support/sessions";
import { expect, test } from "../support/test";

const name = "A tuning curve from spike counts";

test("a notebook in R runs from its page in three clicks @all @desktop", async ({ page, cairn, watch }) => {
  test.slow();
  watch.expects(/about:blank/); // a font that the formulas of Jupyter look for
  await page.goto("/resources?searchText=tuning+curve");
  const visited = await newTab(page, card(page, name).getByRole("heading").getByRole("link"));
  await visited.getByRole("main").getByRole("button", { name: "Run", exact: true }).click();
  await chooseAccount(visited, people.researcher); // the session starts by itself, in this tab
  await expect(visited).toHaveURL(/\/notebooks\/spike-count-tuning\.ipynb$/, { timeout: 180_000 });
  await expectIdle(visited);
  await expect(visited.locator(".kernel_indicator_name")).toHaveText("R");
  await visited
    .locator(".output_png img")
    .evaluateAll((plots) => plots.map((plot) => plot.setAttribute("data-old", "")));
  const cells = await visited.locator(".cell").count();
  for (let cell = 0; cell < cells; cell++) await visited.keyboard.press("Shift+Enter");
  await expect(visited.locator(".output_png img:not([data-old])")).toHaveCount(2, { timeout: 180_000 });
  await visited.close();
  for (const { id } of await callAs<{ id: string }[]>(page, "GET", "/sessions/"))
    await callAs(page, "DELETE", `/sessions/${id}`);
  await expectNothingRuns(cairn);
});

test("the catalog's run of a notebook in R is clean, and names R's packages @all @desktop", async ({ page }) => {
  test.slow();
  await openAs(page, people.operator, "/resources?searchText=tuning+curve");
  const [entry] = await callAs<{ id: string }[]>(page, "GET", "/resources/public/search?type=NOTEBOOK&name=tuning");
  await callAs(page, "POST", `/resources/${entry?.id}/runs`, {});
  const runs = () =>
    callAs<{ content: { id: string; state: string; verdict?: string }[] }>(
      page,
      "GET",
      `/resources/public/${entry?.id}/runs`,
    );
  await expect.poll(async () => (await runs()).content[0]?.state, { timeout: 180_000 }).toBe("DONE");
  const [run] = (await runs()).content;
  expect(run?.verdict).toBe("CLEAN");
  await page.goto(`/resources/notebooks/${entry?.id}#runs`);
  const facts = page.getByLabel("Facts about this run");
  await expect(facts.getByText(/^4\.\d/)).toBeVisible();
  await facts.getByText(/^\d+ packages$/).click();
  await expect(facts.getByText(/IRkernel==1\./)).toBeVisible();
});

test("an entry in a language without a kernel has no Run button, and says what to install @phone @all", async ({
  page,
  cairn,
}, info) => {
  const note =
    "This notebook is written in R, and sessions here run Python. The operators can add it: apt-get install r-cran-irkernel";
  await page.route("**/api/v1/rf/resources/public/*", async (route) => {
    const answer = await route.fetch();
    const refused = { runnable: false, runCode: "language_missing", runNote: note };
    await route.fulfill({ response: answer, json: { ...(await answer.json()), ...refused } });
  });
  const found = await fetch(`${cairn.url}/api/v1/rf/resources/public/search?type=NOTEBOOK&name=tuning`);
  const [entry] = (await found.json()) as { id: string }[];
  await openAs(page, people.researcher, `/resources/notebooks/${entry?.id}`);
  const actions = page.getByRole("group", { name: "Actions" });
  await expect(actions.getByText(note)).toBeVisible();
  await expect(actions.getByRole("button", { name: "Cite" })).toBeVisible();
  await expect(page.getByRole("main").getByRole("button", { name: /^Run/ })).toHaveCount(0);
  await page.screenshot({ path: info.outputPath("no-kernel.png") });
});
