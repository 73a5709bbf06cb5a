import type { Page } from "@playwright/test";
import { expectAccessible, expectNoSidewaysScroll } from "../support/accessible";
import { openAs, people } from "../support/people";
import { demoProject, demoProjectCard, newSessionDialog, openDemoRepository, startButton } from "../support/sessions";
import { expect, test } from "../support/test";

const loaded: { name: string; open: (page: Page) => Promise<void> }[] = [
  {
    name: "landing",
    open: async (page) => {
      await page.goto("/");
      await expect(page.getByRole("region", { name: "In the catalog now" }).getByRole("article")).not.toHaveCount(0);
    },
  },
  {
    name: "catalog",
    open: async (page) => {
      await page.goto("/resources");
      await expect(page.getByRole("main").getByRole("article").first()).toBeVisible();
    },
  },
  {
    name: "notebooks",
    open: async (page) => {
      await page.goto("/resources/notebooks");
      await expect(page.getByRole("main").getByRole("article")).not.toHaveCount(0);
    },
  },
  {
    name: "detail",
    open: async (page) => {
      await openDemoRepository(page);
      await expect(demoProjectCard(page)).toBeVisible();
    },
  },
  {
    name: "login",
    open: async (page) => {
      await page.goto("/login");
      await expect(page.getByRole("button", { name: "Institution Login" })).toBeEnabled();
    },
  },
  {
    name: "identity provider",
    open: async (page) => {
      await page.goto("/login");
      await page.getByRole("button", { name: "Institution Login" }).click();
      await expect(page.getByRole("button", { name: people.researcher.email })).toBeVisible();
    },
  },
  {
    name: "sessions",
    open: async (page) => {
      await openAs(page, people.researcher, "/sessions");
      await expect(page.getByRole("article", { name: demoProject })).toBeVisible();
    },
  },
  {
    name: "new session dialog",
    open: async (page) => {
      await openAs(page, people.researcher, "/sessions");
      await startButton(page).click();
      await expect(newSessionDialog(page)).toBeVisible();
    },
  },
  {
    name: "starred",
    open: async (page) => {
      await openAs(page, people.researcher, "/resources/starred");
      await expect(page.getByRole("heading", { level: 1, name: "Starred Resources" })).toBeVisible();
    },
  },
  {
    name: "add",
    open: async (page) => {
      await openAs(page, people.researcher, "/add");
      await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    },
  },
  {
    name: "events",
    open: async (page) => {
      await page.goto("/events");
      await page.getByRole("main").getByText("Cyberinfrastructure and Services for Science").click();
      await expect(page.getByRole("table").first()).toBeVisible();
    },
  },
];

for (const { name, open } of loaded) {
  test(`${name}: no grave accessibility fault, nothing wider than the window`, async ({ page }) => {
    await open(page);
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
  });
}

test("an address that leads nowhere says so", async ({ page, watch }) => {
  watch.expects(/status of 404 .*\/no\/such\/page/);
  await page.goto("/no/such/page");
  await expect(page.getByRole("heading", { level: 1, name: "Page not found" })).toBeVisible();
  await expectAccessible(page);
});

test("an entry that does not exist says so", async ({ page, watch }) => {
  watch.expects(/status of 404/);
  const id = "01900000-0000-7000-8000-000000000000";
  await page.goto(`/resources/datasets/${id}`);
  await expect(page.getByRole("heading", { level: 1, name: "Resource not found" })).toBeVisible();
  await expect(page.getByRole("alert")).toContainText(id);
  await expectAccessible(page);
});
