import type { Page } from "@playwright/test";
import { card, cards, expectFilters, expectTotal, searchBox, tagBox } from "../support/catalog";
import { expectFiles } from "../support/jupyter";
import { expectFocusKept, expectFocusSeen, tabTo, use } from "../support/keyboard";
import { openAs, people, running } from "../support/people";
import { demoProject, expectNothingRuns, expectStatus, newSessionDialog, projectCard, sessionCard, startButton } from "../support/sessions";
import { expect, test } from "../support/test";

/* The main tasks by keyboard alone: no clicks, and the focus is always visible. */

test.use({ permissions: ["clipboard-read", "clipboard-write"], contextOptions: { reducedMotion: "reduce" } });

const main = (page: Page) => page.getByRole("main");
const notice = (page: Page, text: string) => page.getByRole("region", { name: "Notifications" }).getByText(text, { exact: true });

/** Types the name that a dialog asks for, and submits it. */
async function confirm(page: Page, name: string): Promise<void> {
  await expect(page.getByRole("dialog").getByRole("textbox")).toBeFocused();
  await page.keyboard.type(name);
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog")).toHaveCount(0);
}

/** Waits until the page shows what the API finds, because a later answer would change the tab order. */
async function expectFound(page: Page, query: Record<string, string>): Promise<void> {
  const answer = await page.request.get(`/api/v1/rf/resources/public?${new URLSearchParams(query)}`);
  const { content }: { content: { name: string }[] } = await answer.json();
  await expect(cards(page).getByRole("heading")).toHaveText(content.map(({ name }) => name));
}

test("a visitor finds an entry, cites it and comes back", async ({ page, context }, { project }) => {
  await page.goto("/");
  await running(page);
  await page.keyboard.press("Tab");
  await expect(page.getByRole("link", { name: /^Skip to/ })).toBeFocused();
  await expectFocusSeen(page);
  await page.keyboard.press("Enter");
  await expect(main(page)).toBeFocused();
  await use(page, main(page).getByRole("link", { name: "Browse the catalog" }));
  await expect(page.getByRole("heading", { level: 1, name: "Research Catalog" })).toBeFocused();

  await test.step("search, types, tags and order", async () => {
    await tabTo(page, searchBox(page));
    await page.keyboard.type("spike");
    await expectFilters(page, { resourceTypes: "REPOSITORY,NOTEBOOK,DATASET,MODEL", searchText: "spike" });
    await use(page, page.getByRole("button", { name: /^Notebooks/ }), "Space");
    await expectFilters(page, { resourceTypes: "REPOSITORY,DATASET,MODEL", searchText: "spike" });
    await page.keyboard.press("Space");
    await expectFound(page, { nameSearch: "spike", sort: "relevance" });
    const wide = project.name === "desktop";
    if (!wide) {
      await use(page, page.getByRole("button", { name: /^Tags/ }));
      await expect(page.getByRole("dialog", { name: "Tags" })).toBeVisible();
    }
    await use(page, tagBox(page, "neuroscience"), "Space");
    if (!wide) {
      await use(page, page.getByRole("dialog").getByRole("button", { name: /^Show .* results?$/ }));
      await expect(page.getByRole("button", { name: /^Tags/ })).toBeFocused();
    }
    await tabTo(page, page.getByRole("combobox", { name: "Sorted by" }));
    await page.keyboard.type("n");
    await expect(page).toHaveURL(/sort=name$/);
    await expectFound(page, { nameSearch: "spike", tag: "neuroscience", sort: "name" });
  });

  const address = page.url();
  const tab = await test.step("an entry opens in its own tab", async () => {
    const name = "The shape of a spike";
    await tabTo(page, card(page, name).getByRole("link"));
    const opened = context.waitForEvent("page");
    await page.keyboard.press("Enter");
    const entry = await opened;
    await expect(entry.getByRole("heading", { level: 1, name, exact: true })).toBeVisible();
    return entry;
  });

  await test.step("its citation is copied", async () => {
    await use(tab, tab.getByRole("button", { name: "Cite" }));
    const dialog = tab.getByRole("dialog");
    await tabTo(tab, dialog.getByRole("tab", { selected: true }));
    await tab.keyboard.press("ArrowRight");
    await expect(dialog.getByRole("tab", { name: "APA" })).toBeFocused();
    await expectFocusSeen(tab);
    const copy = dialog.getByRole("button", { name: /^Copy/ });
    await Promise.all([use(tab, copy), copy.filter({ hasText: "Copied" }).waitFor()]);
    const text = (await dialog.getByRole("tabpanel").textContent()) ?? "";
    const copied = await tab.evaluate(() => navigator.clipboard.readText());
    expect(copied.length).toBeGreaterThan(20);
    expect(text).toContain(copied);
    await tab.keyboard.press("Escape");
    await expect(tab.getByRole("button", { name: "Cite" })).toBeFocused();
  });

  await test.step("Back leads to the same search", async () => {
    await tabTo(tab, tab.getByRole("link", { name: "Back", exact: true }), "Shift+Tab");
    await tab.keyboard.press("Enter");
    await expect(tab).toHaveURL(address);
    await expectFocusKept(tab);
  });
});

test("a session is started, stopped, started again and deleted @all", async ({ page, context, cairn }) => {
  const name = "Without a mouse";
  await openAs(page, people.researcher, "/sessions");

  await test.step("from the dialog of a project", async () => {
    await use(page, startButton(page));
    await expect(newSessionDialog(page).getByRole("textbox", { name: "Session name" })).toBeFocused();
    await page.keyboard.press("Escape");
    await expect(startButton(page)).toBeFocused();
    await page.keyboard.press("Enter");
    await expect(newSessionDialog(page).getByRole("textbox", { name: "Session name" })).toBeFocused();
    await page.keyboard.type(name); // replaces the proposed name, which is selected
    const opened = context.waitForEvent("page");
    await page.keyboard.press("Enter");
    const tab = await opened;
    await expectFiles(tab, "first-steps", "data");
    await tab.close();
    await expectStatus(page, name, "RUNNING");
    await expectFocusKept(page);
  });

  await test.step("terminated", async () => {
    await page.reload();
    await use(page, sessionCard(page, name).getByRole("button", { name: "Terminate" }));
    await expectStatus(page, name, "TERMINATED");
    await expectFocusKept(page);
    await expectNothingRuns(cairn);
  });

  await test.step("restarted", async () => {
    await page.reload();
    await tabTo(page, sessionCard(page, name).getByRole("button", { name: "Restart" }));
    const opened = context.waitForEvent("page");
    await page.keyboard.press("Enter");
    await expectStatus(page, name, "RUNNING");
    await (await opened).close();
    await expectFocusKept(page);
  });

  await test.step("deleted by its name", async () => {
    await page.reload();
    await use(page, sessionCard(page, name).getByRole("button", { name: `Delete session ${name}` }));
    await confirm(page, name);
    await expect(sessionCard(page, name)).toHaveCount(0);
    await expectFocusKept(page);
    await expectNothingRuns(cairn);
  });
});

test("a project is put together, and deleted @all", async ({ page }) => {
  const name = "Argon, by keys alone";
  await openAs(page, people.researcher, "/add");
  await use(page, page.getByRole("link", { name: "Add a project" }));
  await expect(page.getByRole("heading", { level: 1, name: "Add a project" })).toBeFocused();
  await tabTo(page, page.getByRole("textbox", { name: "Project name" }));
  await page.keyboard.type(name);

  await test.step("its repository is picked, taken back and picked again", async () => {
    const picker = page.getByRole("combobox", { name: "Search repositories" });
    const pick = async () => {
      await page.keyboard.type("first steps");
      await page.keyboard.press("Enter");
      await expect(page.getByRole("listbox", { name: "Search repositories" }).getByRole("option").first()).toHaveText(/First steps/);
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
      await expect(page.getByRole("button", { name: "Reset Selection" })).toBeFocused();
    };
    await tabTo(page, picker);
    await pick();
    await page.keyboard.press("Enter");
    await expect(picker).toBeFocused();
    await pick();
  });

  await test.step("its datasets", async () => {
    await tabTo(page, page.getByRole("combobox", { name: "Search datasets" }));
    await page.keyboard.type("argon");
    await page.keyboard.press("Enter");
    await expect(page.getByRole("option", { name: /liquid argon/ })).toBeVisible();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await expect(page.getByRole("list", { name: "Chosen datasets" }).getByRole("listitem")).toHaveCount(1);
    await expectFocusSeen(page);
  });

  await use(page, page.getByRole("button", { name: "Create project" }));
  await expect(page).toHaveURL("/sessions");
  await expect(page.getByRole("heading", { level: 1, name: "Dashboard" })).toBeFocused();
  await use(page, projectCard(page, name).getByRole("button", { name: `Delete project ${name}` }));
  await confirm(page, name);
  await expect(projectCard(page, name)).toHaveCount(0);
  await expect(projectCard(page, demoProject)).toBeVisible();
  await expectFocusKept(page);
});

test("somebody signs in, and an entry is starred, and no more @all", async ({ page }) => {
  await page.goto("/resources/starred");
  await use(page, page.getByRole("button", { name: "Institution Login", disabled: false }));
  await use(page, page.getByRole("button", { name: people.colleague.email }));
  await expect(page).toHaveURL("/resources/starred");
  await use(page, main(page).getByRole("link", { name: "Browse the catalog" }));
  await tabTo(page, searchBox(page));
  await page.keyboard.type("gromacs");
  await expectTotal(page, 1);
  const star = card(page, "Gromacs").getByRole("button", { name: /^(Star|Unstar) Gromacs/ });
  await tabTo(page, star);
  await expectFocusSeen(page);
  await page.keyboard.press("Enter");
  await expect(notice(page, "Starred")).toBeVisible();
  await expect(star).toBeFocused();

  await page.goto("/resources/starred");
  await use(page, star);
  await expect(notice(page, "Unstarred")).toBeVisible();
  await expect(card(page, "Gromacs")).toHaveCount(0);
  await expectFocusKept(page);
});

test("the events unfold and fold @all", async ({ page }) => {
  await page.goto("/events");
  const events = main(page).getByRole("group");
  await expect(events.nth(0)).toHaveAttribute("open", "");
  await tabTo(page, events.nth(3).locator("summary"));
  await page.keyboard.press("Enter");
  await expect(events.nth(3).getByRole("table")).toBeVisible();
  await expect(events.nth(0)).toHaveAttribute("open", "");
  await page.keyboard.press("Space");
  await expect(events.nth(3).getByRole("table")).toBeHidden();
  await expectFocusSeen(page);
});

test("the menu of a phone opens, closes and leads on @phone-only @all", async ({ page }) => {
  await page.goto("/login");
  await running(page);
  const menu = page.getByRole("button", { name: "Menu", exact: true });
  await use(page, menu);
  await expect(menu).toHaveAttribute("aria-expanded", "true");
  await tabTo(page, page.getByRole("banner").getByRole("link", { name: "Sessions" }));
  await page.keyboard.press("Escape");
  await expect(menu).toHaveAttribute("aria-expanded", "false");
  await expect(menu).toBeFocused();
  await page.keyboard.press("Enter");
  await tabTo(page, page.getByRole("banner").getByRole("link", { name: "Events" }));
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { level: 1, name: "Events" })).toBeFocused();
  await expect(menu).toHaveAttribute("aria-expanded", "false");
});
