import { calls, problem, refuse } from "../answers";
import { people } from "../people";
import { dialog, failure, main, pathOf, type Scene, type Stage, type State } from "./state";

const archives = [
  { name: "zenodo", label: "Zenodo", kind: "zenodo", url: "https://zenodo.org", connected: true },
  { name: "institute", label: "Open Data Lab", kind: "inveniordm", url: "https://data.example.org", connected: false },
];
const [zenodo] = archives;
const doi = "10.5281/zenodo.1004";
const mebibyte = 2 ** 20;

const deposit = (state: string, rest: object = {}) => ({
  ...{ id: "01900000-0000-7000-8000-000000000301", at: "zenodo", version: 2, state, by: people.researcher.email },
  ...{ createdAt: "2035-05-02T10:00:00Z", progress: { files: 3, bytes: 12 * mebibyte, totalBytes: 12 * mebibyte } },
  ...rest,
});
const draft = deposit("DRAFT", { doi, url: "https://zenodo.org/deposit/1004" });
const published = deposit("PUBLISHED", {
  ...{ id: "01900000-0000-7000-8000-000000000302", version: 1, doi: "10.5281/zenodo.1002", url: "https://zenodo.org/records/1002" },
});

interface Answers {
  deposits?: object[];
  at?: object[];
  /** What the entry says otherwise. */
  entry?: object;
}

/** Opens an entry with two versions as its author. */
async function open(stage: Stage, { deposits = [], at = archives, entry = {} }: Answers): Promise<void> {
  const { page } = stage;
  const version = (versionNumber: number, rest: object = {}) => ({
    ...{ versionNumber, at: `2035-05-0${versionNumber}T08:00:00Z`, by: "Ada Lovelace", files: 3, bytes: 12 * mebibyte, kept: true },
    ...rest,
  });
  const versions = [version(2), version(1, { doi: "10.5281/zenodo.1002" })];
  await page.route(calls(/\/versions$/), (route) => route.fulfill({ json: { content: versions, latest: 2 } }));
  await page.route(calls(/^\/archives$/), (route) => route.fulfill({ json: at }));
  await page.route(calls(/\/deposits$/), (route) =>
    route.request().method() === "GET"
      ? route.fulfill({ json: deposits })
      : problem(route, 409, "The deposit of another version there isn't published yet.", {}, { code: "conflict" }),
  );
  await page.route(calls(/^\/resources\/public\/[^/]+$/), async (route) => {
    const { "if-none-match": _, ...headers } = route.request().headers();
    const response = await route.fetch({ headers });
    const found = (await response.json()) as object;
    const entryVersion = { number: 2, latest: 2, at: "2035-05-02T08:00:00Z" };
    await route.fulfill({
      response,
      json: { ...found, canDelete: true, canEdit: true, authors: [people.researcher.email, "ada@example.org"], entryVersion, ...entry },
    });
  });
  await page.goto(await pathOf(stage, "Membrane recording of a model neuron"));
}

const part = (stage: Stage) => main(stage.page).getByRole("region", { name: "Deposits" });
const begin = (stage: Stage) => part(stage).getByRole("button", { name: /^Deposit version 2 at/ }).click();

const states: State[] = [
  {
    name: "choose an archive",
    phone: true,
    open: async (stage) => {
      await open(stage, { entry: { license: "CC-BY-4.0" } });
      await begin(stage);
    },
    shows: (page) => dialog(page).getByRole("radio", { name: "Open Data Lab" }),
  },
  {
    name: "not connected",
    open: ({ page }) => dialog(page).getByRole("radio", { name: "Open Data Lab" }).check(),
    shows: (page) => dialog(page).getByRole("link", { name: "Connect your account" }),
  },
  {
    name: "no license",
    open: async (stage) => {
      await open(stage, { at: [zenodo as object], entry: { license: "" } });
      await begin(stage);
    },
    shows: (page) => dialog(page).getByRole("link", { name: "Edit the entry" }),
  },
  {
    name: "another version first",
    open: async (stage) => {
      stage.watch.expects(/status of 409 /);
      await open(stage, { at: [zenodo as object], entry: { license: "CC-BY-4.0" } });
      await begin(stage);
      await dialog(stage.page).getByRole("button", { name: "Make a draft" }).click();
    },
    shows: (page) => dialog(page).getByRole("alert"),
  },
  {
    name: "uploading",
    phone: true,
    open: (stage) => open(stage, { deposits: [deposit("UPLOADING", { progress: { files: 1, bytes: 5 * mebibyte, totalBytes: 12 * mebibyte } }), published] }),
    shows: (page) => main(page).getByRole("progressbar", { name: "Progress at Zenodo" }),
  },
  {
    name: "waiting",
    open: (stage) => {
      const reason = { code: "unavailable", detail: "Zenodo limits how often this server may ask. Try again in a while." };
      return open(stage, { deposits: [deposit("UPLOADING", { problem: reason })] });
    },
    shows: (page) => main(page).getByText(/^This server will try again by itself/),
  },
  {
    name: "draft",
    phone: true,
    open: (stage) => open(stage, { deposits: [draft, published] }),
    shows: (page) => main(page).getByRole("button", { name: "Publish: version 2 at Zenodo" }),
  },
  {
    name: "publish",
    phone: true,
    open: async (stage) => {
      await open(stage, { deposits: [draft], entry: { privacy: "PRIVATE" } });
      await part(stage).getByRole("button", { name: /^Publish/ }).click();
    },
    shows: dialog,
  },
  {
    name: "discard",
    open: async (stage) => {
      await open(stage, { deposits: [draft] });
      await part(stage).getByRole("button", { name: /^Discard/ }).click();
    },
    shows: dialog,
  },
  {
    name: "draft of another author",
    open: (stage) => open(stage, { deposits: [{ ...draft, by: "ada@example.org" }] }),
    shows: (page) => main(page).getByText(/began it, and only they can go on with it/),
  },
  {
    name: "publishing",
    open: (stage) => open(stage, { deposits: [deposit("PUBLISHING", { doi })] }),
    shows: (page) => main(page).getByText("Publishing at Zenodo"),
  },
  {
    name: "failed",
    phone: true,
    open: (stage) => {
      const reason = { code: "invalid", detail: "Zenodo refuses this: metadata.license: Not a valid choice." };
      return open(stage, { deposits: [deposit("FAILED", { problem: reason })] });
    },
    shows: (page) => main(page).getByRole("button", { name: "Try again: version 2 at Zenodo" }),
  },
  {
    name: "published",
    phone: true,
    open: (stage) => open(stage, { deposits: [{ ...published, id: draft.id, version: 2, doi }, published] }),
    shows: (page) => main(page).getByRole("link", { name: doi, exact: true }),
  },
  {
    name: "not loaded",
    open: async (stage) => {
      await open(stage, {});
      await refuse(stage, /\/deposits$/);
      await stage.page.reload();
    },
    shows: failure,
    patient: true,
  },
];

export const depositScenes: Scene[] = [{ name: "deposits of an entry", route: "/resources/:type/:id", as: people.researcher, states }];
