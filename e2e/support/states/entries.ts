import { expect, type Page } from "@playwright/test";
import { alter, calls, cutOff, hold, refuse } from "../answers";
import { people } from "../people";
import { arrive, dialog, failure, main, ownPathOf, pathOf, type Scene, type Stage, type State, toast, waiting } from "./state";
import { names } from "./world";

const one = /^\/resources\/public\/[^/]+$/;
const files = /\/files$/;
const nowhere = "01900000-0000-7000-8000-000000000000";
const demo = {
  repository: "First steps",
  dataset: "Membrane recording of a model neuron",
  notebook: "Oscillators that fall into step",
  model: "Gromacs",
} as const;

const showEntry = (name: string) => async (stage: Stage) => stage.page.goto(await pathOf(stage, name));

/** Scrolls to the files, which load lazily. */
async function readOn(page: Page): Promise<void> {
  await main(page).getByRole("heading", { name: "Files", exact: true }).scrollIntoViewIfNeeded();
}

const visitorStates: State[] = [
  {
    name: "repository",
    open: async (stage) => {
      await showEntry(demo.repository)(stage);
      await main(stage.page).getByRole("article").first().waitFor();
      await readOn(stage.page);
      await main(stage.page).getByRole("table").first().waitFor();
    },
    shows: (page) => main(page).getByText("first-steps.ipynb").last(),
  },
  { name: "dataset", open: showEntry(demo.dataset), shows: (page) => main(page).getByRole("img", { name: /voltage|current/ }) },
  {
    name: "notebook",
    open: async (stage) => {
      await showEntry(demo.notebook)(stage);
      await stage.page.locator("iframe").scrollIntoViewIfNeeded();
      await expect(stage.page.locator("iframe").contentFrame().getByRole("heading").first()).toBeVisible();
    },
    shows: (page) => page.locator("iframe"),
  },
  { name: "model", open: showEntry(demo.model), shows: (page) => main(page).getByRole("link", { name: /^Create Gromacs/ }) },
  {
    name: "dataset of arrays",
    open: showEntry(names.arrays),
    shows: (page) => main(page).getByRole("region", { name: "Content of climate4.nc" }),
  },
  { name: "dataset without data", open: showEntry(names.lost), shows: (page) => main(page).getByText(/not on this server/).first() },
  {
    name: "with a picture",
    open: showEntry(names.remote),
    shows: (page) => main(page).locator("img[src*='/cover?']"),
  },
  { name: "long texts", open: showEntry(names.long), shows: (page) => main(page).getByText(/no preview here/) },
  {
    name: "facts unfolded",
    only: "phone",
    open: async (stage) => {
      await showEntry(demo.repository)(stage);
      await stage.page.getByRole("complementary").getByText(/^Facts/).click();
    },
    shows: (page) => page.getByRole("complementary").getByText("Privacy"),
  },
  {
    name: "cite",
    open: async (stage) => {
      await showEntry(demo.notebook)(stage);
      await stage.page.getByRole("button", { name: "Cite" }).click();
    },
    shows: (page) => dialog(page).getByRole("tablist"),
  },
  {
    name: "share",
    open: async (stage) => {
      await showEntry(demo.repository)(stage);
      await stage.page.getByRole("button", { name: "Share" }).click();
    },
    shows: (page) => dialog(page).getByRole("tablist"),
  },
  {
    name: "loading",
    open: async (stage) => {
      await hold(stage.page, one);
      await arrive(stage, await pathOf(stage, demo.model));
    },
    shows: waiting,
  },
  {
    name: "failed",
    open: async (stage) => {
      await refuse(stage, one);
      await arrive(stage, await pathOf(stage, demo.model));
    },
    shows: failure,
    patient: true,
  },
  {
    name: "unreachable",
    open: async (stage) => {
      await cutOff(stage, one);
      await arrive(stage, await pathOf(stage, demo.model));
    },
    shows: failure,
    patient: true,
  },
  {
    name: "not found",
    open: ({ page, watch }) => {
      watch.expects(/status of 404/);
      return page.goto(`/resources/datasets/${nowhere}`);
    },
    shows: toast("Resource not found"),
  },
  {
    name: "notebook failed",
    open: async (stage) => {
      await refuse(stage, /\/notebook$/, { status: 502, message: "The notebook could not be read from where it lives." });
      await showEntry(demo.notebook)(stage);
      await main(stage.page).getByRole("heading", { name: "Notebook" }).scrollIntoViewIfNeeded();
    },
    shows: failure,
  },
  {
    name: "notebook loading",
    open: async (stage) => {
      await hold(stage.page, /\/notebook$/);
      await showEntry(demo.notebook)(stage);
      await main(stage.page).getByRole("heading", { name: "Notebook" }).scrollIntoViewIfNeeded();
    },
    shows: (page) => main(page).getByRole("heading", { name: "Notebook" }),
  },
  {
    name: "data failed",
    open: async (stage) => {
      await refuse(stage, /\/dataset$/);
      await showEntry(demo.dataset)(stage);
    },
    shows: failure,
    patient: true,
  },
  {
    name: "files loading",
    open: async (stage) => {
      await hold(stage.page, files);
      await showEntry(names.repository)(stage);
      await readOn(stage.page);
    },
    shows: waiting,
  },
  {
    name: "files at the limit",
    open: async (stage) => {
      const message = "GitHub answers no more questions for a while: its limit of 60 an hour is spent.";
      await refuse(stage, files, { message, headers: { "Retry-After": "600" } });
      await showEntry(names.repository)(stage);
      await readOn(stage.page);
    },
    shows: (page) => main(page).getByText(/limit of 60 an hour/),
  },
  {
    name: "files failed",
    open: async (stage) => {
      await refuse(stage, files, { status: 502, message: "GitHub sent an answer that can't be read." });
      await showEntry(names.repository)(stage);
      await readOn(stage.page);
    },
    shows: failure,
  },
  {
    name: "file shown",
    open: async (stage) => {
      await showEntry(names.repository)(stage);
      await readOn(stage.page);
      await stage.page.getByRole("button", { name: "Preview sort.py" }).click();
    },
    shows: (page) => dialog(page).getByText("def detect"),
  },
];

const authorStates: State[] = [
  {
    name: "private",
    open: async (stage) => {
      stage.watch.expects(/status of 404 .*\/resources\/datasets\//); // for the document, which is requested anonymously
      await stage.page.goto(await ownPathOf(stage, names.private));
      await main(stage.page).getByRole("img", { name: "Private" }).waitFor();
      // Its tooltip appears on focus.
      await main(stage.page).getByRole("link").first().focus();
      await stage.page.keyboard.press("Tab");
    },
    shows: (page) => page.getByRole("tooltip"),
  },
  {
    name: "delete",
    open: ({ page }) => main(page).getByRole("button", { name: "Delete" }).click(),
    shows: dialog,
  },
  {
    name: "starred",
    open: async (stage) => {
      await showEntry(demo.model)(stage);
      await main(stage.page).getByRole("button", { name: /^Star/ }).click();
    },
    shows: toast("Starred"),
  },
  {
    name: "own repository",
    open: async (stage) => {
      await showEntry(names.repository)(stage);
      await readOn(stage.page);
    },
    shows: (page) => main(page).getByRole("button", { name: "Sync" }),
  },
  {
    name: "sync",
    open: ({ page }) => main(page).getByRole("button", { name: "Sync" }).click(),
    shows: (page) => dialog(page).locator("ins").first(),
  },
  {
    name: "sync refused",
    open: async (stage) => {
      await refuse(stage, /^\/resources\/repository$/, { status: 409, message: "The descriptor changed. Pull it again." });
      await dialog(stage.page).getByRole("button", { name: "Save" }).click();
    },
    shows: (page) => dialog(page).getByRole("alert").filter({ hasText: "The descriptor changed" }),
  },
  {
    name: "sync without a descriptor",
    open: async (stage) => {
      await refuse(stage, /^\/codehost\/descriptor$/, { status: 502, message: "GitHub cannot be reached." });
      await dialog(stage.page).getByRole("button", { name: "Pull again" }).click();
    },
    shows: (page) => dialog(page).getByText("GitHub cannot be reached."),
  },
];

const missing = (page: Page) => main(page).getByRole("list", { name: "What is missing" });

/** Scrolls to the score, which loads when one comes near it, as other parts do that move it. */
async function readScore(page: Page): Promise<void> {
  await expect(async () => {
    await page.getByRole("contentinfo").scrollIntoViewIfNeeded();
    await missing(page).scrollIntoViewIfNeeded({ timeout: 1000 });
  }).toPass();
}

const scoreStates: State[] = [
  {
    name: "what is missing",
    open: async (stage) => {
      await showEntry(names.cited)(stage);
      await readScore(stage.page);
    },
    shows: (page) => missing(page).getByRole("link", { name: "Choose a license" }),
  },
  {
    name: "a fix opens its field",
    open: ({ page }) => missing(page).getByRole("link", { name: "Add an ORCID iD" }).click(),
    shows: (page) => main(page).getByRole("group", { name: "Person 2" }).getByRole("textbox", { name: "ORCID iD" }).and(page.locator(":focus")),
  },
  {
    name: "what is missing in a descriptor",
    open: async (stage) => {
      await showEntry(names.repository)(stage);
      await readScore(stage.page);
    },
    shows: (page) => missing(page).getByText("license: CC-BY-4.0"),
  },
];

const edit = async (stage: Stage) => `${await ownPathOf(stage, names.private)}/edit`;
const editStates: State[] = [
  { name: "loaded", open: async (stage) => stage.page.goto(await edit(stage)), shows: (page) => main(page).getByRole("textbox", { name: "Name" }) },
  {
    name: "faults",
    open: async ({ page, watch }) => {
      watch.expects(/status of 422/);
      await main(page).getByRole("textbox", { name: "Name", exact: true }).fill("");
      await main(page).getByRole("textbox", { name: "Web address" }).fill("nowhere");
      await main(page).getByRole("button", { name: "Save" }).click();
    },
    shows: failure,
  },
  {
    name: "offers",
    open: async (stage) => stage.page.goto(`${await pathOf(stage, names.cited)}/edit#license`),
    shows: (page) => main(page).getByText("From CITATION.cff: Apache-2.0"),
  },
  {
    name: "an offer used",
    open: async ({ page }) => {
      await main(page).getByRole("button", { name: "Use for License" }).click();
      await expect(main(page).getByRole("combobox", { name: "License" })).toHaveValue("Apache-2.0");
      await main(page).getByRole("button", { name: "Use for People" }).click();
    },
    shows: (page) => main(page).getByRole("group", { name: "Person 3" }).getByRole("textbox", { name: "Name", exact: true }),
  },
  {
    name: "of a repository",
    open: async (stage) => stage.page.goto(`${await pathOf(stage, names.repository)}/edit`),
    shows: (page) => main(page).getByRole("link", { name: /repository/ }),
  },
  {
    name: "loading",
    open: async (stage) => {
      await hold(stage.page, one);
      await arrive(stage, await edit(stage));
    },
    shows: waiting,
  },
  {
    name: "failed",
    open: async (stage) => {
      await refuse(stage, one);
      await arrive(stage, await edit(stage));
    },
    shows: failure,
    patient: true,
  },
];

/** What an author is told of an entry whose repository they can't read now. */
const closedEntry = (code: string, reason: string) => ({
  id: nowhere,
  name: "Unpublished spikes",
  type: "REPOSITORY",
  privacy: "PRIVATE",
  audience: "host",
  status: "NONE",
  state: "ACTIVE",
  description: "",
  headerImage: "",
  license: "",
  tags: [],
  authors: [people.researcher.email],
  authorNames: ["Researcher"],
  starCount: 0,
  createdAt: "2026-03-02T10:00:00Z",
  updatedAt: "2026-03-02T10:00:00Z",
  starred: false,
  canDelete: true,
  canEdit: false,
  canSync: false,
  closed: { code, reason },
});

async function showClosed(stage: Stage, code: string, reason: string): Promise<void> {
  await stage.page.route(calls(one), (route) => route.fulfill({ json: closedEntry(code, reason) }));
  await arrive(stage, `/resources/repositories/${nowhere}`);
}

/** Opens an entry of a repository as if that were private at its host. */
async function showForReaders(stage: Stage, change: object = {}): Promise<void> {
  await alter<object>(stage.page, one, (entry) => {
    const { coverUrl: _, coverKind: __, ...rest } = entry as Record<string, unknown>;
    return { ...rest, privacy: "PRIVATE", audience: "host", ...change };
  });
  await arrive(stage, await pathOf(stage, names.repository));
}

const readersStates: State[] = [
  {
    name: "of a private repository",
    open: async (stage) => {
      await showForReaders(stage);
      await main(stage.page).getByRole("img", { name: "Private" }).focus();
    },
    shows: (page) => page.getByRole("tooltip").filter({ hasText: "shown to those who can read its repository" }),
  },
  {
    name: "can be published",
    open: (stage) => showForReaders(stage, { publishable: true }),
    shows: (page) => main(page).getByRole("button", { name: "Publish this entry" }),
  },
  {
    name: "publish",
    open: ({ page }) => main(page).getByRole("button", { name: "Publish this entry" }).click(),
    shows: (page) => dialog(page).getByRole("button", { name: "Save and make public" }),
  },
  {
    name: "closed, not connected",
    open: (stage) => showClosed(stage, "not_connected", "Your account isn't connected with GitLab. Connect it in your account's settings."),
    shows: (page) => main(page).getByRole("link", { name: "Connect your account" }),
  },
  {
    name: "closed, not found",
    open: (stage) => showClosed(stage, "not_found", "GitLab doesn't show you this repository now."),
    shows: (page) => main(page).getByText("This entry is closed to you now"),
  },
  {
    name: "delete a closed one",
    open: ({ page }) => main(page).getByRole("button", { name: "Delete" }).click(),
    shows: dialog,
  },
  {
    name: "card of a closed one",
    open: async (stage) => {
      await alter<{ content: object[] }>(stage.page, /^\/resources$/, (answer) => ({
        ...answer,
        content: [closedEntry("not_found", "Its code host doesn't show you the repository now. Open the entry to see why."), ...answer.content],
      }));
      await arrive(stage, "/resources/repositories");
    },
    shows: (page) => main(page).getByText("Closed to you now"),
  },
];

/** The page of an entry, and the form that edits it. */
export const entryScenes: Scene[] = [
  { name: "entry", route: "/resources/:type/:id", states: visitorStates },
  { name: "entry of an author", route: "/resources/:type/:id", as: people.researcher, states: authorStates },
  { name: "entry of a private repository", route: "/resources/:type/:id", as: people.researcher, states: readersStates },
  { name: "score of an entry", route: "/resources/:type/:id", as: people.researcher, states: scoreStates },
  { name: "edit", route: "/resources/:type/:id/edit", as: people.researcher, states: editStates },
];
