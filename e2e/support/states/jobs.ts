import type { Page } from "@playwright/test";
import { calls, hold, refuse } from "../answers";
import { people } from "../people";
import { arrive, dialog, failure, heading, main, pathOf, type Scene, type Stage, type State } from "./state";

const jobs = /^\/jobs$/;
const schedules = /^\/schedules$/;
const parameters = /\/parameters$/;
const id = (nth: number) => `01900000-0000-7000-8000-0000000000${String(nth).padStart(2, "0")}`;
const one = (nth: number, rest = "") => new RegExp(`^/jobs/${id(nth)}${rest}$`);

const at = (minutes: number) => new Date(Date.UTC(2026, 2, 2, 3, minutes)).toISOString();
const counted = (total: number, done: number, rest: object = {}) => ({ cells: { total, done, ...rest } });
const session = { fromSession: { session: id(90), path: "spikes/sort.ipynb" } };

const like = (nth: number, name: string, state: string, rest: object = {}) => ({
  ...{ id: id(nth), name, kind: "job", file: "spikes/sort.ipynb", session: id(91), state, ...session },
  ...{ askedAt: at(0), startedAt: at(1), seconds: 0, ...counted(30, 0), ...rest },
});

const ended = { endedAt: at(42), seconds: 2460, processorSeconds: 2100, peakMemoryBytes: 1.6 * 2 ** 30, parameters: { region: "south", bins: [1, 2, 5] } };
const done = like(1, "Sorted with a higher threshold, as everybody agreed on Monday", "DONE", { ...ended, ...counted(4, 4), previous: id(2), scheduleId: id(50) });
const failed = like(3, "sort.ipynb", "FAILED", { ...ended, ...counted(4, 2, { failedAt: 3 }), code: "cell_failed", reason: "Cell 3 of 4 failed: ValueError: no such region: west." });
const running = like(4, "sort.ipynb", "RUNNING", { seconds: 1260, expectedSeconds: 2460, ...counted(30, 11) });
const every = [
  done,
  failed,
  running,
  like(5, "sort.ipynb", "QUEUED", { startedAt: undefined, reason: "It waits for another of your jobs.", ...counted(0, 0) }),
  like(6, "sort.ipynb", "CANCELED", { ...ended, ...counted(30, 5) }),
  like(7, "first-steps.ipynb", "DONE", { ...ended, kind: "finish", ...counted(4, 4) }),
];

const schedule = (nth: number, rest: object) => ({
  ...{ id: id(nth), name: "sort.ipynb", at: "03:00", timezone: "Europe/Berlin", paused: false, createdAt: at(0), ...session, ...rest },
});
const scheduled = [
  schedule(50, { every: "week", on: 1, nextAt: at(0), last: id(1), note: "Skipped on 2026-02-23 02:00 UTC: The job before it was still going on." }),
  schedule(51, { every: "month", on: 31, paused: true }),
];

const code = (source: string, ...outputs: object[]) => ({ cell_type: "code", source, outputs, metadata: {}, execution_count: 1 });
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";
const notebook = {
  ...{ nbformat: 4, nbformat_minor: 5, metadata: {} },
  cells: [
    { cell_type: "markdown", source: "# Spike sorting\n\nWith a **threshold**.", metadata: {} },
    code("threshold = 0.5"),
    code("print(threshold)", { output_type: "stream", name: "stdout", text: "0.5\n".repeat(30) }),
    code("plot()", { output_type: "display_data", data: { "image/png": pixel } }, { output_type: "error", ename: "ValueError", evalue: "no", traceback: ["ValueError: no"] }),
    code("table", { output_type: "execute_result", data: { "text/html": "<b>no</b>" } }),
  ],
};
const line = (op: string, text: string) => ({ op, text });
const changes = {
  ...{ counts: { total: 4, same: 2, close: 0, differs: 1, varies: 0, missed: 0 }, largestRelativeDifference: 0.1 },
  cells: [
    { author: 1, run: 1, verdict: "NOTHING_TO_COMPARE" },
    {
      ...{ author: 2, run: 2, verdict: "DIFFERENT", largestRelativeDifference: 0.1 },
      differences: [{ mime: "text/plain", author: 0, run: 0, verdict: "DIFFERENT", lines: [line("removed", "0.5"), line("added", "0.75"), line("same", "done")] }],
    },
  ],
};
const files = {
  content: ["spikes/sort.ipynb", `spikes/${"a-long-name-of-a-result-".repeat(4)}.csv`].map((path) => ({ path, bytes: 12_288, modified: at(42) })),
  ...{ totalElements: 2, number: 0, size: 100, session: id(91), version: id(92) },
};

const declared = {
  language: "python",
  parameters: [
    { name: "region", type: "string", default: "north", help: "Which part of the site is looked at" },
    { name: "threshold", type: "number", default: 0.5 },
    { name: "runs", type: "integer" },
    { name: "fast", type: "boolean", default: false, help: "Skip the slow check" },
    { name: "bins", type: "list", default: [1, 2, 5] },
    { name: "seed", type: "integer", nullable: true, default: null },
    { name: "start", type: "unknown" },
  ],
  unread: ["start = datetime.date(2026, 1, 1)"],
};

async function answer(page: Page, path: RegExp, json: unknown): Promise<void> {
  await page.route(calls(path), (route) => (route.request().method() === "GET" ? route.fulfill({ json }) : route.fallback()));
}

async function answerLists(page: Page, some: object[], times: object[]): Promise<void> {
  await answer(page, jobs, { content: some, totalElements: some.length, number: 0, size: 20 });
  await answer(page, schedules, { content: times, totalElements: times.length, number: 0, size: 100 });
}

/** Answers what the page of a job asks for. */
async function answerJob(page: Page, job: { id: string }): Promise<void> {
  const nth = Number(job.id.slice(-2));
  await answer(page, one(nth), job);
  await answer(page, one(2), like(2, "sort.ipynb", "DONE", { ...ended, ...counted(4, 4) }));
  await answer(page, one(nth, "/notebook"), notebook);
  await answer(page, one(nth, "/changes"), changes);
  await answer(page, one(nth, "/files"), files);
  await answer(page, new RegExp(`^/schedules/${id(50)}$`), scheduled[0]);
  await answer(page, new RegExp(`^/sessions/${id(90)}$`), { id: id(90), sessionName: "Spikes", project: { id: id(93) }, engine: "local" });
}

const listStates: State[] = [
  {
    name: "every state",
    phone: true,
    open: async ({ page }) => {
      await answerLists(page, every, scheduled);
      await page.goto("/jobs");
    },
    shows: (page) => main(page).getByText("Every Monday at 03:00 (Europe/Berlin)"),
  },
  {
    name: "delete a schedule",
    open: ({ page }) => main(page).getByRole("button", { name: "Delete the schedule of sort.ipynb" }).first().click(),
    shows: dialog,
  },
  { name: "none", open: ({ page }) => page.goto("/jobs"), shows: (page) => main(page).getByText("You have no jobs yet.") },
  {
    name: "recently deleted",
    open: async ({ page }) => {
      await answer(page, jobs, { content: [{ ...done, deletedAt: at(50) }], totalElements: 1, number: 0, size: 100 });
      await main(page).getByText("Recently deleted").click();
    },
    shows: (page) => main(page).getByRole("button", { name: /^Undelete/ }),
  },
  {
    name: "loading",
    open: async (stage) => {
      await hold(stage.page, jobs);
      await hold(stage.page, schedules);
      await arrive(stage, "/jobs");
    },
    shows: (page) => main(page).getByRole("status", { name: "Loading your jobs" }),
  },
  {
    name: "failed",
    open: async (stage) => {
      await refuse(stage, jobs);
      await refuse(stage, schedules);
      await arrive(stage, "/jobs");
    },
    shows: failure,
    patient: true,
  },
];

const formOf = async (stage: Stage) => `/jobs/new?resource=${(await pathOf(stage, "First steps")).split("/").at(-1)}`;

const formStates: State[] = [
  {
    name: "values",
    phone: true,
    open: async (stage) => {
      await answer(stage.page, parameters, declared);
      await stage.page.goto(await formOf(stage));
    },
    shows: (page) => main(page).getByLabel("region"),
  },
  {
    name: "wrong values",
    phone: true,
    open: async (stage) => {
      await answer(stage.page, parameters, declared);
      await stage.page.goto(await formOf(stage));
      await main(stage.page).getByLabel("bins").fill("[1, 2");
      await main(stage.page).getByLabel("How often").selectOption("month");
      await main(stage.page).getByText("Lines of the cell").click();
      await main(stage.page).getByRole("button", { name: "Schedule", exact: true }).click();
    },
    shows: (page) => main(page).getByText("Write a list in JSON"),
  },
  { name: "no values", open: async (stage) => stage.page.goto(await formOf(stage)), shows: (page) => main(page).getByText("doesn't say which values can be set") },
  {
    name: "refused",
    open: async (stage) => {
      await refuse(stage, jobs, { status: 409, message: "You have 100 jobs that wait, which is the limit." });
      await main(stage.page).getByRole("button", { name: "Run", exact: true }).click();
    },
    shows: failure,
  },
  {
    name: "values unknown",
    open: async (stage) => {
      await refuse(stage, parameters, { status: 502, message: "GitHub can't be reached from this server right now." });
      await stage.page.goto(await formOf(stage));
    },
    shows: failure,
  },
  { name: "nothing", open: ({ page }) => page.goto("/jobs/new"), shows: heading("There is nothing to run at this address.") },
];

const waiting: State[] = [
  {
    name: "not enabled",
    open: async (stage) => stage.page.goto(await formOf(stage)),
    shows: (page) => main(page).getByRole("status").filter({ hasText: "You can't start sessions yet" }),
  },
];

const showJob = (job: { id: string }) => async ({ page }: Stage) => {
  await answerJob(page, job);
  await page.goto(`/jobs/${job.id}`);
};

const jobStates: State[] = [
  { name: "done", phone: true, open: showJob(done), shows: (page) => main(page).getByRole("heading", { name: "Code cell 4" }) },
  { name: "failed", phone: true, open: showJob(failed), shows: (page) => main(page).getByRole("link", { name: "See the cell" }) },
  { name: "running", phone: true, open: showJob(running), shows: (page) => main(page).getByRole("progressbar") },
  {
    name: "its parts failed",
    open: async (stage) => {
      await answerJob(stage.page, done);
      for (const part of ["notebook", "changes", "files"]) await refuse(stage, one(1, `/${part}`));
      await stage.page.goto(`/jobs/${done.id}`);
    },
    shows: failure,
  },
  {
    name: "loading",
    open: async (stage) => {
      await hold(stage.page, one(1));
      await arrive(stage, `/jobs/${done.id}`);
    },
    shows: (page) => main(page).getByText("Loading the job"),
  },
  {
    name: "nothing",
    open: ({ page, watch }) => {
      watch.expects(/status of 404/);
      return page.goto(`/jobs/${id(99)}`);
    },
    shows: heading("There is no such job."),
  },
];

/** What runs without its user, on demand and on a schedule. */
export const jobScenes: Scene[] = [
  { name: "jobs", route: "/jobs", as: people.researcher, states: listStates },
  { name: "new job", route: "/jobs/new", as: people.researcher, states: formStates },
  { name: "new job of a newcomer", route: "/jobs/new", as: people.newcomer, states: waiting },
  { name: "job", route: "/jobs/:id", as: people.researcher, states: jobStates },
];
