import { calls, hold, problem } from "../answers";
import { people } from "../people";
import { main, type Scene, type Stage, type State } from "./state";

const sources = /^\/sources\/doi\//;
const record = {
  ...{ doi: "10.5281/zenodo.1002", title: "Waves and rocks", description: "How they meet.", license: "CC-BY-4.0", published: "2035-05-17", version: "1.0" },
  ...{ people: [{ name: "Jane Doe", orcid: "0000-0002-1825-0097" }], keywords: ["waves"], archive: "Zenodo", url: "https://zenodo.org/records/1002" },
  ...{ bytes: 12_000_000, restricted: false },
  files: [
    { path: "waves.csv", bytes: 11_000_000, digest: "md5:d41d8cd98f00b204e9800998ecf8427e", comparable: true, fetched: true },
    { path: "rocks.tab", bytes: 1_000_000, comparable: false, fetched: true, note: "This is the table as its authors sent it." },
  ],
};
const task = {
  ...{ id: "01900000-0000-7000-8000-000000000401", state: "WORKING", resourceId: "01900000-0000-7000-8000-000000000402" },
  ...{ files: 1, bytes: 5_000_000, totalBytes: 12_000_000 },
};

async function lookUp({ page }: Stage, answer?: object): Promise<void> {
  if (answer) await page.route(calls(sources), (route) => route.fulfill({ json: answer }));
  await page.goto("/add/doi");
  await main(page).getByRole("textbox", { name: "DOI" }).fill(record.doi);
  await main(page).getByRole("button", { name: "Look up" }).click();
}

const states: State[] = [
  { name: "no DOI yet", open: ({ page }) => page.goto("/add/doi"), shows: (page) => main(page).getByRole("textbox", { name: "DOI" }) },
  {
    name: "asking the archive",
    open: async (stage) => {
      await hold(stage.page, sources);
      await lookUp(stage);
    },
    shows: (page) => main(page).getByText(/^Asking the archive/),
  },
  {
    name: "no such DOI",
    open: async (stage) => {
      stage.watch.expects(/status of 404 /);
      await stage.page.route(calls(sources), (route) => problem(route, 404, "There is no DOI 10.5281/zenodo.1002."));
      await lookUp(stage);
    },
    shows: (page) => main(page).getByText("There is no DOI 10.5281/zenodo.1002."),
  },
  { name: "found", phone: true, open: (stage) => lookUp(stage, record), shows: (page) => main(page).getByRole("heading", { name: "What will be added" }) },
  {
    name: "in the catalog already",
    open: (stage) => lookUp(stage, { ...record, entry: { id: task.resourceId, name: "Waves", link: "/resources/datasets/1" } }),
    shows: (page) => main(page).getByRole("link", { name: "Open the entry" }),
  },
  {
    name: "fetching a repository",
    phone: true,
    open: async (stage) => {
      await stage.page.route(calls(/^\/resources$/), (route) => route.fulfill({ status: 202, json: task }));
      await stage.page.route(calls(/^\/uploads\/tasks\//), (route) => route.fulfill({ json: task }));
      await lookUp(stage, record);
      await main(stage.page).getByRole("radio", { name: "Repository" }).check();
      await main(stage.page).getByRole("button", { name: "Add repository" }).click();
    },
    shows: (page) => main(page).getByRole("progressbar", { name: "Files fetched" }),
  },
];

export const sourceScenes: Scene[] = [{ name: "add by DOI", route: "/add/doi", as: people.researcher, states }];
