import type { Page } from "@playwright/test";
import { alter, cutOff, hold, moveTo, refuse } from "../answers";
import { callAs } from "../calls";
import { card, openTags } from "../catalog";
import { people } from "../people";
import { arrive, dialog, failure, firstCard, heading, main, type Scene, type State, toast, waiting } from "./state";
import { carberry, names } from "./world";

const search = /^\/resources\/public$/;
const kind = /^\/resources$/;
const stars = /^\/resources\/[^/]+\/stars$/;
const building = "The search index is being built: 60 % of 1,000,000 entries are in it. Lists and searches have to wait for it; all else works.";

const person = /^\/people\//;

const personStates: State[] = [
  { name: "with an ORCID iD", open: ({ page }) => page.goto(`/people/${carberry}`), shows: firstCard },
  { name: "of a name", open: ({ page }) => page.goto(`/people/${encodeURIComponent("ana-lena-müller")}`), shows: (page) => main(page).getByText(/several people of this name/) },
  {
    name: "loading",
    open: async (stage) => {
      await hold(stage.page, person);
      await arrive(stage, `/people/${carberry}`);
    },
    shows: waiting,
  },
  {
    name: "failed",
    open: async (stage) => {
      await refuse(stage, person);
      await arrive(stage, `/people/${carberry}`);
    },
    shows: failure,
    patient: true,
  },
  {
    name: "not found",
    open: ({ page, watch }) => {
      watch.expects(/status of 404/);
      return page.goto("/people/nobody");
    },
    shows: heading("Person not found"),
  },
];

const catalogStates: State[] = [
  { name: "loaded", open: ({ page }) => page.goto("/resources"), shows: firstCard },
  {
    name: "filtered",
    open: ({ page }) => page.goto("/resources?resourceTypes=NOTEBOOK,DATASET&tags=neuroscience&searchText=recording"),
    shows: firstCard,
  },
  { name: "nothing found", open: ({ page }) => page.goto("/resources?resourceTypes=MODEL&tags=neuroscience&searchText=qqqq+zzzz"), shows: (page) => main(page).getByText("No resources found with the following criteria") },
  { name: "past the last page", open: ({ page }) => page.goto("/resources?page=99"), shows: (page) => main(page).getByRole("button", { name: /page 1/ }) },
  {
    name: "another spelling",
    open: ({ page }) => page.goto("/resources?searchText=oscilltors"),
    shows: (page) => main(page).getByText("oscilltors").filter({ visible: true }),
  },
  {
    name: "wrong type",
    open: ({ page }) => page.goto("/resources?resourceTypes=PICTURE&searchText=argon"),
    shows: toast("Invalid resource type"),
  },
  {
    name: "search tips",
    open: async ({ page }) => {
      await page.goto("/resources?searchText=argon");
      await main(page).getByText("Search tips").click();
    },
    shows: (page) => main(page).getByText("author:ada"),
  },
  {
    name: "tags",
    phone: true,
    open: async ({ page }) => {
      await page.goto("/resources");
      await firstCard(page).waitFor();
      await openTags(page);
      await page.getByRole("searchbox", { name: "Search within tags" }).fill("neuro");
    },
    shows: (page) => page.getByRole("checkbox", { name: /^neuroscience/ }),
  },
  {
    name: "loading",
    open: async (stage) => {
      await hold(stage.page, search);
      await arrive(stage, "/resources");
    },
    shows: waiting,
  },
  {
    name: "failed",
    open: async (stage) => {
      await refuse(stage, search);
      await arrive(stage, "/resources");
    },
    shows: failure,
    patient: true,
  },
  {
    name: "unreachable",
    open: async (stage) => {
      await cutOff(stage, search);
      await arrive(stage, "/resources");
    },
    shows: failure,
    patient: true,
  },
  {
    name: "index being built",
    open: async (stage) => {
      await refuse(stage, search, { message: building, headers: { "Retry-After": "60" }, details: { code: "index_building", progress: 0.6 } });
      await arrive(stage, "/resources?searchText=spikes");
    },
    shows: (page) => main(page).getByRole("progressbar"),
  },
  {
    name: "compact list",
    open: async ({ page }) => {
      await page.goto("/resources");
      await page.getByRole("contentinfo").waitFor(); // the list may be drawn anew until it is there
      await page.getByRole("button", { name: "Compact list" }).click();
      await page.getByRole("button", { name: "Compact list", pressed: true }).waitFor();
    },
    shows: firstCard,
  },
];

const kindStates: State[] = [
  { name: "loaded", open: ({ page }) => page.goto("/resources/models"), shows: firstCard },
  { name: "nothing matches", open: ({ page }) => page.goto("/resources/models?searchText=qqqq+zzzz"), shows: (page) => main(page).getByText("qqqq zzzz") },
  {
    name: "empty",
    open: async (stage) => {
      await alter<object>(stage.page, kind, (page) => ({ ...page, content: [], totalElements: 0, totalPages: 0, empty: true }));
      await arrive(stage, "/resources/models");
    },
    shows: (page) => main(page).getByText("There are no models yet"),
  },
  {
    name: "loading",
    open: async (stage) => {
      await hold(stage.page, kind);
      await arrive(stage, "/resources/models");
    },
    shows: waiting,
  },
  {
    name: "failed",
    open: async (stage) => {
      await refuse(stage, kind);
      await arrive(stage, "/resources/models");
    },
    shows: failure,
    patient: true,
  },
];

const starredStates: State[] = [
  { name: "empty", open: ({ page }) => page.goto("/resources/starred"), shows: (page) => main(page).getByRole("link", { name: /catalog/ }) },
  {
    name: "loading",
    open: async (stage) => {
      await hold(stage.page, stars);
      await arrive(stage, "/resources/starred");
    },
    shows: waiting,
  },
  {
    name: "failed",
    open: async (stage) => {
      await refuse(stage, stars);
      await arrive(stage, "/resources/starred");
    },
    shows: failure,
    patient: true,
  },
  {
    name: "loaded",
    open: async ({ page }) => {
      await page.goto("/resources?searchText=argon");
      await firstCard(page).waitFor();
      await starAll(page);
      await moveTo(page, "/resources/starred");
      await heading("Starred Resources")(page).waitFor(); // until then, the catalog's cards are shown
    },
    shows: firstCard,
  },
  {
    name: "unstarred",
    open: async ({ page }) => {
      await firstCard(page).getByRole("button", { name: /^Unstar/ }).click();
    },
    shows: toast("Unstarred"),
  },
  {
    name: "star refused",
    open: async (stage) => {
      await refuse(stage, /\/star$/, { status: 503 });
      await firstCard(stage.page).getByRole("button", { name: /^Unstar/ }).click();
    },
    shows: toast("Error liking resource"),
  },
];

async function starAll(page: Page): Promise<void> {
  const found = await callAs<{ id: string }[]>(page, "GET", "/resources/search?name=argon");
  for (const { id } of found) await callAs(page, "PUT", `/resources/${id}/star`);
}

/** The catalog, its lists, and the starred entries. */
export const catalogScenes: Scene[] = [
  { name: "catalog", route: "/resources", states: catalogStates },
  { name: "person", route: "/people/:id", states: personStates },
  {
    name: "catalog of an author",
    route: "/resources",
    as: people.researcher,
    states: [
      {
        name: "private entry",
        open: ({ page }) => page.goto("/resources?searchText=recordings"),
        shows: (page) => card(page, names.private),
      },
      {
        name: "menu of a card",
        open: ({ page }) => card(page, names.private).getByRole("button", { name: /^Actions for/ }).click(),
        shows: (page) => page.getByRole("menu"),
      },
      {
        name: "delete",
        open: async ({ page }) => {
          await page.keyboard.press("Escape"); // the menu of the state before
          await card(page, names.private).getByRole("button", { name: /^Actions for/ }).click();
          await page.getByRole("menuitem", { name: "Delete" }).click();
        },
        shows: dialog,
      },
      {
        name: "delete refused",
        open: async (stage) => {
          await refuse(stage, /^\/resources\/[^/]+$/, { status: 403, message: "Only an author may delete an entry." });
          await dialog(stage.page).getByRole("textbox").fill(names.private);
          await dialog(stage.page).getByRole("textbox").press("Enter");
        },
        shows: (page) => dialog(page).getByText("Only an author may delete an entry."),
      },
    ],
  },
  ...["notebooks", "repositories", "datasets"].map((name) => ({
    name,
    route: `/resources/${name}`,
    states: [{ name: "loaded", open: ({ page }: { page: Page }) => page.goto(`/resources/${name}`), shows: firstCard }],
  })),
  { name: "models", route: "/resources/models", states: kindStates },
  { name: "starred", route: "/resources/starred", as: people.operator, states: starredStates },
];

