import { expectSoon } from "../support/answers";
import { card, cards, closeTags, expectFilters, expectTotal, gate, listCalls, openTags, searchBox, tagBox } from "../support/catalog";
import { expect, test } from "./fixtures";

const allTypes = "REPOSITORY,NOTEBOOK,DATASET,MODEL";

test("what narrows the search stands in one place, each to be taken away and all at once @phone", async ({ page }) => {
  await page.goto("/resources?resourceTypes=DATASET,MODEL&tags=zoo,Marsupials&searchText=quokka");
  await expectTotal(page, 2);
  const applied = page.getByRole("group", { name: "Applied filters" });
  const chosen = applied.getByRole("button", { name: /^Remove/ });
  // The text and the types are right above.
  await expect(chosen).toHaveText(["zoo", "Marsupials"]);
  await applied.getByRole("button", { name: "Remove the tag Marsupials" }).click();
  await expectFilters(page, { resourceTypes: "DATASET,MODEL", tags: "zoo", searchText: "quokka" });
  await expectTotal(page, 4);
  // Keyboard users keep their focus.
  await expect(applied).toBeFocused();
  await applied.getByRole("button", { name: "Clear all" }).click();
  await expectFilters(page, { resourceTypes: allTypes });
  await expect(chosen).toHaveCount(0);
  await expect(applied.getByRole("button", { name: "Clear all" })).toHaveCount(0);
  await expect(applied).toBeFocused();
});

test("the key / leads to the search box, but not from where something is typed, and can be turned off @all", async ({ page }, { project }) => {
  await page.goto("/resources?searchText=quokka");
  await expectTotal(page, 6);
  await page.keyboard.press("Control+/");
  await expect(searchBox(page)).not.toBeFocused();
  await page.keyboard.press("/");
  await expect(searchBox(page)).toBeFocused();
  await page.keyboard.type("a/b");
  await expect(searchBox(page)).toHaveValue("a/b");
  const order = page.getByLabel("Sorted by");
  await searchBox(page).fill("");
  await expect(cards(page).first()).toBeVisible();
  await order.focus();
  await page.keyboard.press("/");
  await expect(searchBox(page)).toBeFocused();
  await openTags(page);
  await tagBox(page, "zoo").focus();
  await page.keyboard.press("/");
  if (project.name === "desktop") await expect(searchBox(page)).toBeFocused();
  else await expect(tagBox(page, "zoo")).toBeFocused(); // in a dialog
  await closeTags(page);
  await page.goto("/events");
  await expect(page.getByRole("contentinfo")).toBeVisible(); // it comes with what listens
  await page.keyboard.press("/");
  await expectFilters(page, { resourceTypes: allTypes });
  await expect(searchBox(page)).toBeFocused();
  await page.goto("/resources");
  await expect(cards(page).first()).toBeVisible();

  await page.getByRole("button", { name: "Search tips" }).click();
  // Devices without a keyboard don't show it.
  const turn = page.getByText("Turn off this shortcut", { exact: true });
  const told = await page.evaluate(() => matchMedia("(hover: hover) and (pointer: fine)").matches);
  await expect(turn).toBeVisible({ visible: told });
  await expect(searchBox(page).locator("xpath=following-sibling::span")).toBeVisible({ visible: told });
  if (!told) return;
  await turn.click();
  await page.reload();
  await expect(cards(page).first()).toBeVisible();
  await page.keyboard.press("/");
  await expect(searchBox(page)).not.toBeFocused();
  await expect(searchBox(page).locator("xpath=following-sibling::span")).toHaveCount(0);
  await page.getByRole("button", { name: "Search tips" }).click();
  await page.getByText("Turn on this shortcut", { exact: true }).click();
  await page.keyboard.press("/");
  await expect(searchBox(page)).toBeFocused();
});

test("how much is found is read out from one place that stays, nothing and failures of a list lead on @all", async ({ page, watch }) => {
  watch.expects(/status of 500/);
  await page.clock.install();
  await page.goto("/resources/models?searchText=quokka");
  await expectTotal(page, 2);
  const status = await page.getByRole("status").filter({ hasText: /results$/ }).elementHandle();
  await searchBox(page).fill("no such model");
  await expect(page.getByText("Nothing matches “no such model”.")).toBeVisible();
  // It has to be the same element: some screen readers don't announce a live region that is inserted with its text.
  expect(await status?.textContent()).toBe("Nothing found");
  await page.getByRole("button", { name: "Show all models" }).click();
  await expectFilters(page, {}, "/resources/models");
  await expect(card(page, "Quokka model")).toBeVisible();
  expect(await status?.textContent()).toMatch(/^\d+ results$/);

  const answers = gate();
  const message = JSON.stringify({ message: "Something went wrong on the server." });
  let slow = false;
  await page.route(listCalls, async (route) => {
    if (slow) await answers.opened;
    await route.fulfill({ status: 500, contentType: "application/problem+json", body: message });
  });
  await searchBox(page).fill("dromedary");
  const state = page.getByRole("main").getByRole("alert");
  await expectSoon(page, state);
  await expect(state).toContainText("The models couldn't be loaded.Something went wrong on the server. Your search is still here.");
  expect(await status?.textContent()).toBe("");
  await expect(searchBox(page)).toHaveValue("dromedary");
  slow = true;
  await state.getByRole("button", { name: "Retry" }).click();
  await expect(state).toHaveCount(0);
  answers.open();
  await expectSoon(page, state);
  await expect(state).toContainText("The models couldn't be loaded.");
});

test("a card says how long ago its entry came, and who points at that reads the day", async ({ page }) => {
  await page.goto("/resources?tags=zoo");
  const time = card(page, "Quokka model").locator("time");
  await expect(time).toHaveText(/^(just now|\d+ minutes? ago)$/);
  const moment = await time.getAttribute("datetime");
  const exact = await page.evaluate(
    (at) => new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" }).format(new Date(at)),
    moment ?? "",
  );
  await expect(time).toHaveAttribute("title", exact);
});
