import { alter, hold, refuse } from "../answers";
import { people } from "../people";
import { arrive, dialog, failure, main, pathOf, type Scene, type State } from "./state";

const entries = /^\/operator\/entries$/;
const one = /^\/resources\/public\/[^/]+$/;

/** What operators see: a reported entry, a verified one on the landing page, a hidden one, and a private one. */
const curated = [
  {
    ...{ id: "01900000-0000-7000-8000-000000000001", type: "DATASET", name: "Cheap watches", hidden: false, hiddenReason: "", status: "NONE" },
    ...{ authors: ["seller@example.org"], privacy: "PUBLIC", featured: false, createdAt: "2026-03-01T12:00:00Z" },
    reports: [
      { by: people.researcher.email, reason: "It advertises watches.", at: "2026-03-02T12:00:00Z" },
      { by: people.colleague.email, reason: "There is no data behind it, only a shop.", at: "2026-03-02T13:00:00Z" },
    ],
  },
  {
    ...{ id: "01900000-0000-7000-8000-000000000002", type: "NOTEBOOK", name: "Spikes of a model neuron", hidden: false, hiddenReason: "", status: "VERIFIED" },
    ...{ authors: [people.researcher.email, people.colleague.email], privacy: "PUBLIC", featured: true, createdAt: "2026-02-01T12:00:00Z", reports: [] },
  },
  {
    ...{ id: "01900000-0000-7000-8000-000000000003", type: "MODEL", name: "Casino", hidden: true, hiddenReason: "It advertises something.", status: "NONE" },
    ...{ authors: ["seller@example.org"], privacy: "PUBLIC", featured: false, createdAt: "2026-01-01T12:00:00Z", reports: [] },
  },
  {
    ...{ id: "01900000-0000-7000-8000-000000000004", type: "REPOSITORY", name: "", hidden: false, hiddenReason: "", status: "NONE" },
    ...{ authors: [people.colleague.email], privacy: "PRIVATE", featured: false, reports: [] },
  },
];

const show = (content: object[]) => () => ({ content, totalElements: content.length, number: 0, size: 100 });

const operatorStates: State[] = [
  {
    name: "loaded",
    open: async ({ page }) => {
      await alter(page, entries, show(curated));
      await page.goto("/operator/entries");
    },
    shows: (page) => main(page).getByRole("listitem").first(),
  },
  {
    name: "hide",
    open: async ({ page }) => {
      await alter(page, entries, show(curated));
      await page.goto("/operator/entries");
      await main(page).getByRole("button", { name: "Hide Cheap watches" }).click();
    },
    shows: dialog,
  },
  {
    name: "delete forever",
    open: async ({ page }) => {
      await alter(page, entries, show(curated));
      await page.goto("/operator/entries?state=hidden");
      await main(page).getByRole("button", { name: "More actions for Casino" }).click();
      await page.getByRole("menuitem", { name: "Delete permanently" }).click();
    },
    shows: dialog,
  },
  {
    name: "nothing reported",
    open: async ({ page }) => {
      await alter(page, entries, show([]));
      await page.goto("/operator/entries?state=reported");
    },
    shows: (page) => main(page).getByText("No entries are reported."),
  },
  {
    name: "loading",
    open: async (stage) => {
      await hold(stage.page, entries);
      await arrive(stage, "/operator/entries");
    },
    shows: (page) => main(page).getByRole("status").first(),
  },
  {
    name: "failed",
    open: async (stage) => {
      await refuse(stage, entries);
      await arrive(stage, "/operator/entries");
    },
    shows: failure,
    patient: true,
  },
];

const entryStates: State[] = [
  {
    name: "hidden",
    open: async (stage) => {
      await alter<object>(stage.page, one, (entry) => ({ ...entry, hidden: true, hiddenReason: "It advertises something." }));
      await stage.page.goto(await pathOf(stage, "Gromacs"));
    },
    shows: (page) => main(page).getByText("Reason: It advertises something."),
  },
  {
    name: "verified",
    open: async (stage) => {
      await alter<object>(stage.page, one, (entry) => ({ ...entry, status: "VERIFIED" }));
      await stage.page.goto(await pathOf(stage, "Gromacs"));
    },
    shows: (page) => main(page).getByText("Verified").first(),
  },
  {
    name: "leave",
    open: async (stage) => {
      await alter<object>(stage.page, one, (entry) => ({ ...entry, namedBy: people.colleague.email }));
      await stage.page.goto(await pathOf(stage, "Gromacs"));
      await main(stage.page).getByRole("button", { name: "Leave" }).click();
    },
    shows: dialog,
  },
  {
    name: "report",
    open: async (stage) => {
      await stage.page.goto(await pathOf(stage, "Gromacs"));
      const facts = main(stage.page).getByRole("complementary");
      const report = main(stage.page).getByRole("button", { name: "Report this entry" });
      await facts.waitFor();
      if (!(await report.isVisible())) await facts.getByText(/^Facts/).click(); // folded on a phone
      await report.click();
    },
    shows: dialog,
  },
];

/** The operators' page of entries, and what it leads to elsewhere. */
export const curationScenes: Scene[] = [
  { name: "entries of operators", route: "/operator/entries", as: people.operator, states: operatorStates },
  {
    name: "entries of operators to others",
    route: "/operator/entries",
    as: people.researcher,
    states: [
      { name: "refused", open: ({ page }) => page.goto("/operator/entries"), shows: (page) => main(page).getByText("Only operators can manage entries.") },
    ],
  },
  { name: "entry and operators", route: "/resources/:type/:id", as: people.operator, states: entryStates },
];
