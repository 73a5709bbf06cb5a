import { calls, hold, problem } from "../answers";
import { people } from "../people";
import { arrive, dialog, failure, main, type Scene, type Stage, type State, waiting } from "./state";

const id = "01900000-0000-7000-8000-000000000021";
const other = "01900000-0000-7000-8000-000000000022";
const address = `/sessions/${id}/publish`;
const session = new RegExp(`^/sessions/${id}$`);
const contents = new RegExp(`^/sessions/${id}/publish/contents$`);
const publish = new RegExp(`^/sessions/${id}/publish$`);
const own = /^\/resources$/;

const at = new Date(Date.UTC(2026, 2, 2, 3)).toISOString();

const shown = {
  ...{ id, sessionName: "Spikes and argon", userId: people.researcher.email, status: "RUNNING", statusReason: "" },
  ...{ engine: "local", limits: {}, createdAt: at, updatedAt: at },
  project: { id, name: "Spikes", repositoryResource: { id, name: "Spikes", address: "" }, datasetResources: [] },
};

const files = [
  ...["README.md", "analysis.ipynb", ".env", "data/trace.csv"].map((path) => ({ path, bytes: 1900 })),
  ...Array.from({ length: 40 }, (_, at) => ({ path: `data/raw/run-${at + 1}.bin`, bytes: 30_000 })),
];
const work = {
  ...{ version: other, at, files, fileCount: files.length, bytes: 1_207_600 },
  leftOut: [{ path: "data/latest", reason: "link" }],
  notSaved: [{ what: "results/all.h5", why: "It is larger than 1 GiB." }],
  warnings: [
    { path: ".env", kind: "env_file" },
    { path: ".env", kind: "generic_secret", line: 2 },
    { path: "data/trace.csv", kind: "token", line: 7 },
  ],
  types: ["REPOSITORY", "DATASET"],
  draft: { name: "Spikes, measured again", description: "", license: "CC-BY-4.0", tags: ["spikes"], people: [] },
  sources: [{ id: other, name: "First steps", type: "REPOSITORY" }],
};
const entry = (name: string, type: string, privacy: string) => ({
  ...{ id: crypto.randomUUID(), name, type, privacy, description: "", tags: [], authors: [people.researcher.email] },
  ...{ status: "NONE", state: "ACTIVE", createdAt: at, updatedAt: at, starCount: 0, starred: false, canDelete: true, canEdit: true },
});
const entries = [entry("Membrane recording", "DATASET", "PUBLIC"), entry("Burst detection", "NOTEBOOK", "PRIVATE")];

async function open(stage: Stage): Promise<void> {
  const { page } = stage;
  await page.route(calls(session), (route) => route.fulfill({ json: shown }));
  await page.route(calls(contents), (route) => route.fulfill({ json: work }));
  await page.route(calls(own), (route) => route.fulfill({ json: { content: entries, last: true, first: true, empty: false, totalElements: 2 } }));
  await arrive(stage, address);
}

async function goOn(stage: Stage): Promise<void> {
  await open(stage);
  await main(stage.page).getByRole("button", { name: "Continue" }).click();
}

/** The session's files can't be had. */
const refused = (name: string, status: number, message: string, code: string, shows: State["shows"]): State => ({
  ...{ name, shows },
  open: async (stage) => {
    stage.watch.expects(new RegExp(`status of ${status} `));
    await stage.page.route(calls(session), (route) => route.fulfill({ json: shown }));
    await stage.page.route(calls(contents), (route) => problem(route, status, message, {}, { code }));
    await arrive(stage, address);
  },
});

const text = (words: string) => (page: Parameters<State["shows"]>[0]) => main(page).getByText(words);

const states: State[] = [
  { name: "choose files", phone: true, open, shows: (page) => main(page).getByRole("checkbox", { name: /^All files/ }) },
  {
    name: "filter files",
    open: async (stage) => {
      await open(stage);
      await main(stage.page).getByRole("searchbox", { name: "Filter by name" }).fill("run-1");
    },
    shows: (page) => main(page).getByRole("checkbox", { name: /^11 matches/ }),
  },
  { name: "a new entry", phone: true, open: goOn, shows: (page) => main(page).getByRole("button", { name: "Publish", exact: true }) },
  {
    name: "a new version",
    phone: true,
    open: async (stage) => {
      await goOn(stage);
      await main(stage.page).getByRole("radio", { name: /^A new version/ }).check();
      await main(stage.page).getByRole("radio", { name: "Membrane recording" }).check();
    },
    shows: text("This entry is public: everybody sees the new version at once."),
  },
  {
    name: "a secret",
    phone: true,
    open: async (stage) => {
      stage.watch.expects(/status of 409 /);
      await goOn(stage);
      const errors = [{ location: ".env", message: "env_file" }];
      await stage.page.route(calls(publish), (route) => problem(route, 409, "Is there a secret?", {}, { code: "looks_secret", errors }));
      await main(stage.page).getByRole("button", { name: "Publish", exact: true }).click();
    },
    shows: dialog,
  },
  {
    name: "copying",
    open: async (stage) => {
      await goOn(stage);
      const task = { id: other, resourceId: other, state: "WORKING", files: 12, bytes: 600_000, totalBytes: 1_200_000 };
      await stage.page.route(calls(publish), (route) => route.fulfill({ status: 202, json: task }));
      await stage.page.route(calls(/^\/uploads\/tasks\//), (route) => route.fulfill({ json: task }));
      await main(stage.page).getByRole("button", { name: "Publish", exact: true }).click();
    },
    shows: (page) => main(page).getByRole("progressbar", { name: "Progress of copying" }),
  },
  {
    name: "loading",
    open: async (stage) => {
      await stage.page.route(calls(session), (route) => route.fulfill({ json: shown }));
      await hold(stage.page, contents);
      await arrive(stage, address);
    },
    shows: (page) => waiting(page).or(main(page).getByRole("status").filter({ hasText: "Looking at" })),
  },
  refused("nothing saved", 409, "Nothing is saved.", "conflict", text("Nothing has been saved in this session yet.")),
  refused("no files", 422, "There are no files in it.", "invalid", text("There are no files in this session.")),
  refused("no versions", 404, "It keeps no versions.", "not_found", text("No files can be published straight from this session.")),
  refused("failed", 503, "The database cannot be reached.", "database_unavailable", failure),
  {
    name: "no session",
    open: async (stage) => {
      stage.watch.expects(/status of 404 /);
      await stage.page.route(calls(session), (route) => problem(route, 404, "There is no such session.", {}, { code: "not_found" }));
      await arrive(stage, address);
    },
    shows: text("You have no such session."),
  },
];

export const publishingScenes: Scene[] = [{ name: "publish files", route: "/sessions/:id/publish", as: people.researcher, states }];
