import { cutOff, hold } from "../answers";
import { expect } from "@playwright/test";
import { people, unfoldNavigation } from "../people";
import { arrive, heading, main, type Scene, type Stage } from "./state";

const landing = /^\/resources\/landing$/;

/** The landing page, the events, and what every page shows. */
export const siteScenes: Scene[] = [
  {
    name: "landing",
    route: "/",
    states: [
      {
        name: "loaded",
        open: ({ page }) => page.goto("/"),
        shows: (page) => main(page).getByRole("article").first(),
      },
      {
        name: "loading",
        open: async (stage) => {
          await hold(stage.page, landing);
          await arrive(stage, "/");
        },
        shows: (page) => main(page).getByRole("status").first(),
      },
      {
        name: "without the catalog",
        open: async (stage) => {
          await cutOff(stage, landing);
          await arrive(stage, "/");
        },
        shows: (page) => page.locator("main:not(:has([role=status]))").getByRole("heading", { level: 1 }),
        patient: true,
      },
      {
        name: "skip link",
        open: async ({ page }) => {
          await page.goto("/");
          await main(page).getByRole("article").first().waitFor();
          await page.keyboard.press("Tab");
        },
        shows: (page) => page.locator("a[href='#main']:focus"),
      },
      {
        name: "menu open",
        only: "phone",
        open: async ({ page }) => {
          await page.goto("/");
          await main(page).getByRole("article").first().waitFor();
          await unfoldNavigation(page);
        },
        shows: (page) => page.getByRole("banner").getByRole("link", { name: "Catalog" }),
      },
    ],
  },
  {
    name: "signed in",
    route: "/",
    as: people.operator,
    states: [
      {
        name: "landing",
        open: ({ page }) => page.goto("/"),
        shows: (page) => main(page).getByRole("article").first(),
      },
      {
        name: "user menu",
        open: ({ page }) => page.getByRole("button", { name: /^Account of/ }).click(),
        shows: (page) => page.getByRole("menu"),
      },
    ],
  },
  {
    name: "events",
    route: "/events",
    states: [
      { name: "first open", open: ({ page }) => page.goto("/events"), shows: (page) => main(page).locator("details[open]").first() },
      {
        name: "all open",
        open: async ({ page }) => {
          await page.goto("/events");
          const folded = main(page).locator("details:not([open]) > summary");
          for (let left = await folded.count(); left > 0; left -= 1) {
            await folded.first().press("Enter");
            await expect(folded).toHaveCount(left - 1);
          }
        },
        shows: (page) => main(page).getByRole("table").last(),
      },
    ],
  },
  {
    name: "not found",
    route: "/*",
    states: [
      {
        name: "no such page",
        open: ({ page, watch }) => {
          watch.expects(/status of 404/);
          return page.goto("/no/such/page");
        },
        shows: heading(/\w/),
      },
      {
        name: "page broke",
        // Its code can't be loaded, not even after the document is reloaded.
        open: async (stage) => {
          await withoutCode(stage, "EventsPage");
          await stage.page.goto("/events");
        },
        shows: (page) => main(page).getByRole("button"),
      },
    ],
  },
];

async function withoutCode({ page, watch }: Stage, part: string): Promise<void> {
  watch.expects(/net::ERR_FAILED/, /Failed to fetch dynamically imported module/, /EventsPage/);
  await page.route(new RegExp(`/assets/${part}-[^/]+\\.js`), (route) => route.abort());
}

