import { calls, hold, problem } from "../answers";
import { people } from "../people";
import { dialog, failure, main, pathOf, type Scene, type Stage, type State } from "./state";

const uploads = /^\/uploads$/;
const gibibyte = 2 ** 30;
const quota = { bytes: 50 * gibibyte, used: 12 * gibibyte, file: 20 * gibibyte };
const id = (number: number) => `01900000-0000-7000-8000-0000000001${number.toString().padStart(2, "0")}`;
const at = (day: number) => new Date(Date.UTC(2035, 4, day)).toISOString();

interface Answers {
  earlier?: object[];
  contents?: object;
}

/** Answers the calls of uploads: each is accepted at once. */
async function answerUploads({ page }: Stage, { earlier = [], contents }: Answers = {}): Promise<void> {
  let made = 0;
  await page.route(calls(uploads), (route) => {
    if (route.request().method() === "GET") return route.fulfill({ json: { content: earlier, quota } });
    made += 1;
    return route.fulfill({ status: 201, headers: { Location: `/api/v1/rf/uploads/${id(made)}` } });
  });
  await page.route(calls(/^\/uploads\/[0-9a-f-]{36}$/), async (route) => {
    const size = route.request().postDataBuffer()?.length ?? 0;
    return route.fulfill({ status: 204, headers: { "Upload-Offset": String(size) } });
  });
  if (contents) await page.route(calls(/^\/uploads\/contents$/), (route) => route.fulfill({ json: contents }));
}

async function choose({ page }: Stage): Promise<void> {
  await page.goto("/add/upload");
  const files = ["trace.csv", "analysis.ipynb"].map((name) => ({ name, mimeType: "text/plain", buffer: Buffer.from("time,voltage\n0,-65\n") }));
  await main(page).locator("input[type=file]").first().setInputFiles(files);
}

const contents = {
  types: ["REPOSITORY", "DATASET"],
  files: [
    { path: "analysis.ipynb", bytes: 19 },
    { path: "trace.csv", bytes: 19 },
  ],
  fileCount: 2,
  bytes: 38,
  leftOut: [{ path: "link", reason: "link" }],
  warnings: [{ path: ".env", kind: "env_file" }],
  draft: { name: "Spikes and argon", license: "CC-BY-4.0", tags: ["spikes"], people: [{ name: "Ada Lovelace", orcid: "" }] },
};

const pageStates: State[] = [
  {
    name: "empty",
    phone: true,
    open: async (stage) => {
      await answerUploads(stage);
      await stage.page.goto("/add/upload");
    },
    shows: (page) => main(page).getByText(/used\. One file/),
  },
  {
    name: "unfinished ones",
    phone: true,
    open: async (stage) => {
      const upload = { filename: "a.csv", path: "in/a.csv", bytes: gibibyte, received: gibibyte / 3, expiresAt: at(7) };
      await answerUploads(stage, { earlier: [{ ...upload, id: id(1) }, { ...upload, id: id(2), packed: true }] });
      await stage.page.goto("/add/upload");
    },
    shows: (page) => main(page).getByRole("button", { name: "Discard 2 uploads" }),
  },
  {
    name: "uploading",
    open: async (stage) => {
      await answerUploads(stage);
      await hold(stage.page, /^\/uploads\/[0-9a-f-]{36}$/);
      await choose(stage);
    },
    shows: (page) => main(page).getByRole("button", { name: "Pause all" }),
  },
  {
    name: "upload refused",
    open: async (stage) => {
      stage.watch.expects(/status of 409 /);
      await answerUploads(stage);
      await stage.page.route(calls(uploads), (route) =>
        route.request().method() === "POST" ? problem(route, 409, "Your uploads have no room left.", {}, { code: "quota_reached" }) : route.fallback(),
      );
      await choose(stage);
    },
    shows: (page) => main(page).getByRole("button", { name: "Try trace.csv again" }),
  },
  {
    name: "what it is",
    phone: true,
    open: async (stage) => {
      await answerUploads(stage, { contents });
      await choose(stage);
      await main(stage.page).getByRole("button", { name: "Continue" }).click();
    },
    shows: (page) => main(page).getByRole("button", { name: "Add repository" }),
  },
  {
    name: "unpacking",
    open: async (stage) => {
      const { page } = stage;
      const task = { id: id(9), state: "WORKING", files: 1, bytes: 19, totalBytes: 38 };
      await page.route(calls(/^\/resources$/), (route) => (route.request().method() === "POST" ? route.fulfill({ status: 202, json: task }) : route.fallback()));
      await page.route(calls(/^\/uploads\/tasks\//), (route) => route.fulfill({ json: task }));
      await answerUploads(stage, { contents });
      await choose(stage);
      await main(page).getByRole("button", { name: "Continue" }).click();
      await main(page).getByRole("button", { name: "Add repository" }).click();
    },
    shows: (page) => main(page).getByRole("progressbar", { name: "Progress of unpacking" }),
  },
];

const version = (versionNumber: number, rest: object = {}) => ({
  ...{ versionNumber, at: at(versionNumber), by: "Ada Lovelace", files: 12, bytes: 3_000_000, kept: true },
  ...rest,
});
const versions = [
  version(3, { note: "Corrected the units in column 3.", doi: "10.5281/zenodo.123" }),
  version(2, { withdrawnAt: at(3), withdrawnReason: "The units in column 3 were wrong." }),
  version(1),
];
const changes = {
  files: [
    {
      ...{ path: "in/trace.csv", change: "modified", bytesBefore: 19, bytesAfter: 20 },
      lines: [
        { op: "same", text: "time,voltage" },
        { op: "removed", text: "0,-65" },
        { op: "added", text: "0,-65.0" },
      ],
    },
    { path: "picture.png", change: "added", bytesBefore: 0, bytesAfter: 2048 },
  ],
  more: 3,
};

async function openVersions(stage: Stage, search = ""): Promise<void> {
  const { page } = stage;
  await page.route(calls(/\/versions$/), (route) => route.fulfill({ json: { content: versions, latest: 3 } }));
  await page.route(calls(/\/versions\/\d+\/changes$/), (route) => route.fulfill({ json: changes }));
  await page.route(calls(/\/deposits$/), (route) => route.fulfill({ json: [] }));
  await page.route(calls(/^\/resources\/public\/[^/]+$/), async (route) => {
    // The server's own entry has one version.
    const url = new URL(route.request().url());
    const number = url.searchParams.get("version");
    url.searchParams.delete("version");
    const { "if-none-match": _, ...headers } = route.request().headers();
    const response = await route.fetch({ headers, url: url.href });
    const entry = (await response.json()) as object;
    const older = { number: Number(number), withdrawnReason: "The units in column 3 were wrong." };
    const entryVersion = { number: 3, latest: 3, at: at(2), ...(number && older) };
    await route.fulfill({ response, json: { ...entry, canDelete: true, entryVersion } });
  });
  await page.goto((await pathOf(stage, "Membrane recording of a model neuron")) + search);
}

const versionStates: State[] = [
  {
    name: "versions",
    phone: true,
    open: async (stage) => openVersions(stage),
    shows: (page) => main(page).getByRole("link", { name: "Version 3" }),
  },
  {
    name: "what changed in a version",
    phone: true,
    open: async (stage) => {
      await openVersions(stage);
      await main(stage.page).getByRole("button", { name: "What changed in version 3" }).click();
      await main(stage.page).getByText("in/trace.csv").click();
    },
    shows: (page) => main(page).getByRole("region", { name: "Changes in in/trace.csv" }),
  },
  {
    name: "withdraw a version",
    open: async (stage) => {
      await openVersions(stage);
      await main(stage.page).getByRole("button", { name: "Withdraw version 1" }).click();
    },
    shows: dialog,
  },
  {
    name: "changes failed",
    open: async (stage) => {
      stage.watch.expects(/status of 413 /);
      await openVersions(stage);
      await stage.page.route(calls(/\/versions\/\d+\/changes$/), (route) => problem(route, 413, "The files are too large to compare."));
      await main(stage.page).getByRole("button", { name: "What changed in version 3" }).click();
    },
    shows: failure,
  },
  {
    name: "an older version",
    phone: true,
    open: async (stage) => {
      stage.watch.expects(/status of 404 /);
      await openVersions(stage, "?version=2");
    },
    shows: (page) => main(page).getByText(/^This is version 2 of 3/),
  },
];

export const uploadScenes: Scene[] = [
  { name: "upload files", route: "/add/upload", as: people.researcher, states: pageStates },
  { name: "versions of an entry", route: "/resources/:type/:id", as: people.researcher, states: versionStates },
];
