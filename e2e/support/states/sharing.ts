import type { Page } from "@playwright/test";
import { alter, calls, hold, refuse } from "../answers";
import { callAs } from "../calls";
import { people } from "../people";
import { arrive, failure, heading, main, type Scene, type Stage, type State } from "./state";

const id = "01900000-0000-7000-8000-000000000001";
const session = new RegExp(`^/sessions/${id}$`);
const shares = new RegExp(`^/sessions/${id}/shares$`);
const requests = new RegExp(`^/sessions/${id}/requests$`);
const events = new RegExp(`^/sessions/${id}/see/events$`);
const followed = /^\/sessions\/shared$/;

const at = (minutes: number) => new Date(Date.UTC(2026, 2, 2, 3, minutes)).toISOString();
const { email, name } = people.colleague;

const shown = {
  ...{
    id,
    sessionName: "Spikes and argon",
    userId: people.researcher.email,
    status: "RUNNING",
    statusReason: "",
    engine: "local",
    limits: {},
  },
  ...{
    project: { id, name: "Spikes", repositoryResource: { id, name: "Spikes", address: "" }, datasetResources: [] },
    createdAt: at(0),
    updatedAt: at(0),
  },
  ...{
    shares: 3,
    present: [
      { name, as: "edit", people: 1, since: at(1) },
      { name: "", as: "see", people: 24, since: at(2) },
    ],
  },
  visits: [{ name: "helen@example.org", as: "see", people: 1, since: at(3), until: at(9) }],
};

const share = (nth: number, can: string, whom: object, rest: object = {}) => ({
  ...{ id: `01900000-0000-7000-8000-00000000001${nth}`, can, with: whom, createdAt: at(0), ...rest },
});
const shared = [
  share(1, "edit", { email }),
  share(2, "copy", { project: id }, { projectName: "Spike sorting for the winter school", until: at(5000) }),
  share(3, "see", { link: true }, { until: at(600) }),
];

const request = (nth: number, kind: string, rest: object) => ({
  ...{
    id: `01900000-0000-7000-8000-00000000002${nth}`,
    sessionId: id,
    kind,
    name,
    by: email,
    can: "edit",
    createdAt: at(4),
    granted: false,
    mine: false,
    ...rest,
  },
});
const asked = [
  request(1, "enter", { message: "It's me, from the institute next door. May I have a look at the second cell?" }),
  request(2, "help", { mine: true, can: "see", message: "The plot stays empty." }),
];

const cell = (source: string, state: string, ...outputs: object[]) => ({
  id: source,
  kind: "code",
  source,
  count: 1,
  state,
  outputs,
});
const text = (words: string) => ({ output_type: "stream", name: "stdout", text: words });
const notebook = {
  ...{ path: "spikes/sort.ipynb", language: "python", isBusy: true, cut: true },
  cells: [
    {
      id: "a",
      kind: "markdown",
      source: "# Spike sorting\n\nWith a **threshold**.",
      count: null,
      state: "",
      outputs: [],
    },
    cell("print(0.5)", "ok", text("0.5\n")),
    cell("for second in range(60): wait(second)", "running", text("1 of 60\n")),
    cell("raise ValueError('no')", "error", {
      output_type: "error",
      ename: "ValueError",
      evalue: "no",
      traceback: ["ValueError: no"],
    }),
    cell("input()", "input"),
    cell("plot()", "waiting"),
  ],
};
const view = {
  ...{
    number: 1,
    sessionName: "Spikes and argon",
    holds: "Spikes",
    status: "RUNNING",
    note: "",
    notebook,
    moreFiles: true,
  },
  present: [{ name: people.researcher.name, as: "owner", people: 1, since: at(0) }, ...shown.present],
  notebooks: [{ path: "spikes/sort.ipynb", busy: true, workedAt: at(1) }],
  files: [
    { path: "spikes", isFolder: true, bytes: 0, modifiedAt: at(0) },
    { path: "spikes/sort.ipynb", isFolder: false, bytes: 20_480, modifiedAt: at(0) },
  ],
};
const right = {
  ...{
    id,
    sessionName: view.sessionName,
    holds: view.holds,
    owner: people.researcher.name,
    can: "copy",
    share: shared[1]?.id,
    until: at(5000),
  },
  ...{ isRunning: true, status: "RUNNING", url: "" },
};

const answer = (page: Page, path: RegExp, json: unknown) => page.route(calls(path), (route) => route.fulfill({ json }));

/** Answers with a stream of events that stays as it is: the page comes back for more, and gets the same. */
const stream = (page: Page, ...sent: [string, object][]) =>
  page.route(calls(events), (route) =>
    route.fulfill({
      contentType: "text/event-stream",
      body: sent.map(([event, data]) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`).join(""),
    }),
  );

async function answerAll(page: Page): Promise<void> {
  await answer(page, session, shown);
  await answer(page, shares, shared);
  await answer(page, requests, asked);
}

const shareStates: State[] = [
  {
    name: "shared in every way",
    phone: true,
    open: async ({ page }) => {
      await answerAll(page);
      await page.goto(`/sessions/${id}/share`);
    },
    shows: (page) => main(page).getByText("Members of Spike sorting for the winter school"),
  },
  {
    name: "to work in it",
    open: ({ page }) => main(page).getByRole("radio", { name: "Work in it" }).check(),
    shows: (page) => main(page).getByText("Whoever works in your session does so with your rights in it."),
  },
  {
    name: "failed",
    open: async (stage) => {
      await refuse(stage, session);
      await arrive(stage, `/sessions/${id}/share`);
    },
    shows: failure,
    patient: true,
  },
];

const seeStates: State[] = [
  {
    name: "a notebook at work",
    phone: true,
    open: async ({ page }) => {
      await answerAll(page);
      await stream(page, ["shared", right], ["view", view]);
      await page.goto(`/sessions/${id}/see`);
    },
    shows: (page) => main(page).getByText("1 of 60"),
  },
  {
    name: "not running",
    open: async ({ page }) => {
      await stream(
        page,
        ["shared", { ...right, isRunning: false, status: "TERMINATED" }],
        [
          "view",
          {
            ...view,
            status: "TERMINATED",
            note: "This session isn't running.",
            notebook: null,
            notebooks: [],
            files: [],
          },
        ],
      );
      await page.goto(`/sessions/${id}/see`);
    },
    shows: (page) => main(page).getByText("This session isn't running."),
  },
  {
    name: "ended",
    open: async ({ page }) => {
      await stream(
        page,
        ["shared", right],
        ["view", view],
        ["ended", { code: "not_found", text: "This session isn't shared with you any longer, or it was deleted." }],
      );
      await page.goto(`/sessions/${id}/see`);
    },
    shows: (page) => main(page).getByText("You can no longer see this session."),
  },
  {
    name: "not shared",
    open: async (stage: Stage) => {
      await answer(stage.page, requests, []);
      await refuse(stage, events, { status: 404, message: "This session doesn't exist, or it isn't shared with you." });
      await stage.page.goto(`/sessions/${id}/see`);
    },
    shows: heading("This session isn't shared with you."),
  },
];

const linkStates: State[] = [
  {
    name: "without a link",
    open: ({ page }) => page.goto("/shared"),
    shows: (page) => main(page).getByText("There is no link to follow here."),
  },
  {
    name: "following",
    open: async ({ page }) => {
      await hold(page, followed);
      await page.goto("/events");
      await page.goto("/shared#SECRET");
    },
    shows: (page) => main(page).getByText("Following the link"),
  },
  {
    name: "leads nowhere",
    open: async (stage) => {
      await refuse(stage, followed, { status: 404, message: "This link doesn't lead anywhere." });
      await stage.page.goto("/events");
      await stage.page.goto("/shared#SECRET");
    },
    shows: (page) => main(page).getByText("There is nothing behind this link."),
  },
  {
    name: "to work in it",
    open: async ({ page }) => {
      await answer(page, followed, { ...right, can: "edit" });
      await page.goto("/events");
      await page.goto("/shared#SECRET");
    },
    shows: heading("Work in Spikes and argon"),
  },
];

const dashboardStates: State[] = [
  {
    name: "what others share and ask",
    phone: true,
    open: async ({ page }) => {
      const more = {
        ...right,
        id: share(4, "", {}).id,
        sessionName: "A second look at argon",
        can: "edit",
        isRunning: false,
        status: "TERMINATED",
      };
      await answer(page, followed, [right, more]);
      await answer(page, /^\/sessions\/requests$/, [
        { ...asked[0], sessionName: shown.sessionName },
        { ...asked[1], mine: false, sessionName: "Somebody's session" },
      ]);
      await alter<object[]>(page, /^\/projects\/shared$/, () => []);
      await page.goto("/sessions");
    },
    shows: (page) => main(page).getByRole("heading", { name: "Shared with you" }),
  },
  {
    name: "a project that is shared",
    open: async ({ page }) => {
      const [project] = await callAs<object[]>(page, "GET", "/projects");
      await answer(page, followed, []);
      await answer(page, /^\/projects\/shared$/, [{ ...project, role: "editor", ownerId: email }]);
      await page.reload();
    },
    shows: (page) => main(page).getByRole("heading", { name: "Shared with me" }),
  },
];

export const sharingScenes: Scene[] = [
  { name: "dashboard with what others share", route: "/sessions", as: people.researcher, states: dashboardStates },
  { name: "share a session", route: "/sessions/:id/share", as: people.researcher, states: shareStates },
  { name: "see a session", route: "/sessions/:id/see", as: people.colleague, states: seeStates },
  { name: "link to a session", route: "/shared", as: people.colleague, states: linkStates },
];
