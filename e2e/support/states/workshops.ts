import type { Page } from "@playwright/test";
import { calls, hold, refuse } from "../answers";
import { people } from "../people";
import { arrive, failure, heading, main, type Scene, type State, waiting } from "./state";

const id = "01900000-0000-7000-8000-000000000041";
const key = "kx4h7pq";
const list = /^\/workshops$/;
const one = new RegExp(`^/workshops/${id}$`);
const board = new RegExp(`^/workshops/${id}/board$`);
const report = new RegExp(`^/workshops/${id}/report$`);
const room = /^\/workshops\/room$/;
const join = new RegExp(`^/join/${key}$`);

const at = (hours: number) => new Date(Date.UTC(2035, 2, 2, hours)).toISOString();
const entry = { id: "01900000-0000-7000-8000-000000000042", name: "Spikes and argon", type: "REPOSITORY" };

const workshop = {
  ...{
    id,
    name: "Spikes for beginners",
    state: "PLANNED",
    owner: people.researcher.email,
    hosts: [people.colleague.email],
  },
  ...{ entry, engine: "local", profile: "", network: "internet", guests: true, startsAt: at(9), endsAt: at(12) },
  ...{ timezone: "Europe/Berlin", opensAt: at(9), workUntil: at(24 * 15), namesUntil: at(24 * 31) },
  ...{
    seats: { total: 60, taken: 0, running: 0, waiting: 0 },
    warm: 0,
    warmWanted: 0,
    room: { places: 30, capacity: 47 },
  },
  joinUrl: `http://127.0.0.1:8080/join/${key}#amber-river-stone-wolf`,
  joinAddress: `http://127.0.0.1:8080/join/${key}`,
  code: "amber river stone wolf",
};
const open = {
  ...workshop,
  state: "OPEN",
  seats: { total: 60, taken: 48, running: 45, waiting: 3 },
  warm: 12,
  warmWanted: 12,
};
const ended = { ...workshop, state: "ENDED", endedAt: at(12), seats: { total: 60, taken: 52, running: 0, waiting: 0 } };

const seat = (number: number, rest: object) => ({
  ...{ seat: number, name: "", signedIn: false, state: "invited", passed: 0, handUp: false, waitingSeconds: 0 },
  ...rest,
});
const shown = {
  ...{ state: "OPEN", endsAt: at(12), code: workshop.code, joinAddress: workshop.joinAddress, of: 22 },
  machine: { used: 34, capacity: 47 },
  seats: [
    seat(1, { name: "Ada", state: "running", cell: { index: 6, of: 22, id: "a" }, passed: 6, lastActivityAt: at(9) }),
    seat(2, {
      ...{ name: "Grace <b>Hopper</b>", state: "running", cell: { index: 8, of: 22 }, passed: 8 },
      ...{ error: { cell: 8, name: "ModuleNotFoundError" }, lastActivityAt: at(9) },
    }),
    seat(3, {
      name: "Mary",
      signedIn: true,
      state: "running",
      handUp: true,
      handUpAt: at(9),
      waitingSeconds: 260,
      passed: 2,
    }),
    seat(4, { name: "Émilie du Châtelet, who has a long name", state: "starting", queuePosition: 2 }),
    seat(5, { name: "Ada", state: "stopped", passed: 22, cell: { index: 21, of: 22 } }),
    seat(6, { name: "Lise", state: "failed" }),
    seat(7, {}),
  ],
  cells: [
    { index: 0, done: 5, failed: 1 },
    { index: 6, done: 3, failed: 0 },
    { index: 8, done: 1, failed: 4 },
  ],
  messages: [{ id: entry.id, text: "We go on at eleven.", at: at(10) }],
  handouts: [{ id: entry.id, name: "exercise.ipynb", at: at(10), delivered: 4, of: 6 }],
};
const told = {
  ...{
    id,
    name: workshop.name,
    state: "ENDED",
    startsAt: at(9),
    endsAt: at(12),
    endedAt: at(12),
    timezone: "Europe/Berlin",
  },
  ...{ entry, seats: 60, joined: 52, minutes: { median: 95.5, total: 4200 }, of: 22 },
  cells: [
    { index: 0, done: 52, failed: 1, errors: [{ name: "NameError", count: 1 }] },
    { index: 13, done: 29, failed: 23, errors: [{ name: "ModuleNotFoundError", count: 23 }] },
  ],
  hints: [
    {
      ...{ cell: 13, failed: 23, of: 52, name: "ModuleNotFoundError" },
      text: "Cell 14 failed for 23 of 52 (ModuleNotFoundError): the environment lacks a package.",
    },
  ],
  attendance: [
    { seat: 1, name: "Ada", signedIn: false, joinedAt: at(9), minutes: 170, passed: 22, failed: 1 },
    { seat: 2, name: "", signedIn: true, joinedAt: at(9), minutes: 12.5, passed: 2, failed: 0 },
  ],
};
const places = {
  ...{ seats: 60, fits: 42, capacity: 47, free: 42, places: 60 },
  sizes: [
    { engine: "local", engineLabel: "This server", profile: "", label: "Standard", memoryBytes: 536_870_912, fits: 42 },
    {
      engine: "local",
      engineLabel: "This server",
      profile: "small",
      label: "Small",
      memoryBytes: 268_435_456,
      fits: 84,
    },
  ],
};
const invitation = {
  ...{ name: workshop.name, state: "OPEN", startsAt: at(9), endsAt: at(12), opensAt: at(9), timezone: "Europe/Berlin" },
  ...{ guests: true, entry, open: true, full: false, workUntil: at(24 * 15) },
};

const answer = (page: Page, path: RegExp, json: unknown) => page.route(calls(path), (route) => route.fulfill({ json }));

/** Answers with a stream of events that stays as it is: the page comes back for more, and gets the same. */
const follow = (page: Page, state: object) =>
  page.route(calls(board), (route) =>
    route.fulfill({ contentType: "text/event-stream", body: `event: board\ndata: ${JSON.stringify(state)}\n\n` }),
  );

const listStates: State[] = [
  {
    name: "none",
    open: async ({ page }) => {
      await answer(page, list, []);
      await page.goto("/workshops");
    },
    shows: (page) => main(page).getByText("You have no workshops yet."),
  },
  {
    name: "some",
    phone: true,
    open: async ({ page }) => {
      await answer(page, list, [open, workshop, ended]);
      await page.goto("/workshops");
    },
    shows: (page) => main(page).getByText("Spikes for beginners").first(),
  },
  {
    name: "failed",
    open: async (stage) => {
      await refuse(stage, list);
      await arrive(stage, "/workshops");
    },
    shows: failure,
    patient: true,
  },
];

const newStates: State[] = [
  {
    name: "empty",
    phone: true,
    open: async ({ page }) => {
      await answer(page, room, places);
      await page.goto("/workshops/new");
    },
    shows: heading("Prepare a workshop"),
  },
];

const editStates: State[] = [
  {
    name: "filled",
    open: async ({ page }) => {
      await answer(page, one, workshop);
      await answer(page, room, places);
      await answer(page, new RegExp(`^/resources/public/${entry.id}$`), { ...entry, tags: [], authors: [], people: [] });
      await page.goto(`/workshops/${id}/edit`);
    },
    shows: heading("Edit Spikes for beginners"),
  },
];

const workshopStates: State[] = [
  {
    name: "planned",
    open: async ({ page }) => {
      await answer(page, one, workshop);
      await page.goto(`/workshops/${id}`);
    },
    shows: heading("Spikes for beginners"),
  },
  {
    name: "open",
    phone: true,
    open: async ({ page }) => {
      await answer(page, one, open);
      await page.goto(`/workshops/${id}`);
    },
    shows: (page) => main(page).getByText("45 sessions run"),
  },
  {
    name: "ended",
    open: async ({ page }) => {
      await answer(page, one, ended);
      await page.goto(`/workshops/${id}`);
    },
    shows: (page) => main(page).getByRole("link", { name: "Report" }),
  },
  {
    name: "failed",
    open: async (stage) => {
      await refuse(stage, one);
      await arrive(stage, `/workshops/${id}`);
    },
    shows: failure,
    patient: true,
  },
];

const screenStates: State[] = [
  {
    name: "the code",
    phone: true,
    open: async ({ page }) => {
      await answer(page, one, open);
      await page.goto(`/workshops/${id}/screen`);
    },
    shows: (page) => page.getByText("48 of 60 are in"),
  },
];

const boardStates: State[] = [
  {
    name: "loading",
    open: async ({ page }) => {
      await answer(page, one, open);
      await hold(page, board);
      await page.goto(`/workshops/${id}/board`);
    },
    shows: waiting,
  },
  {
    name: "a room at work",
    phone: true,
    open: async ({ page }) => {
      await answer(page, one, open);
      await follow(page, shown);
      await page.goto(`/workshops/${id}/board`);
    },
    shows: (page) => main(page).getByText("error in cell 9: ModuleNotFoundError").first(),
  },
];

const reportStates: State[] = [
  {
    name: "after the end",
    phone: true,
    open: async ({ page }) => {
      await answer(page, report, told);
      await page.goto(`/workshops/${id}/report`);
    },
    shows: (page) => main(page).getByText("52 of 60 seats were taken.").first(),
  },
];

const joinStates: State[] = [
  {
    name: "open",
    phone: true,
    open: async ({ page }) => {
      await answer(page, join, invitation);
      await page.goto(`/join/${key}`);
    },
    shows: (page) => main(page).getByLabel("Your name"),
  },
  {
    name: "not open yet",
    open: async ({ page }) => {
      await answer(page, join, { ...invitation, state: "PLANNED", open: false });
      await page.goto(`/join/${key}`);
    },
    shows: (page) => main(page).getByText("This workshop isn't open yet."),
  },
  {
    name: "ended",
    open: async ({ page }) => {
      await answer(page, join, { ...invitation, state: "ENDED", open: false });
      await page.goto(`/join/${key}`);
    },
    shows: heading("Spikes for beginners"),
  },
  {
    name: "nowhere",
    open: async (stage) => {
      await refuse(stage, join, { status: 404, message: "There is no workshop at this address." });
      await stage.page.goto(`/join/${key}`);
    },
    shows: heading("Workshop not found"),
  },
];

export const workshopScenes: Scene[] = [
  { name: "workshops", route: "/workshops", as: people.researcher, states: listStates },
  { name: "prepare a workshop", route: "/workshops/new", as: people.researcher, states: newStates },
  { name: "edit a workshop", route: "/workshops/:id/edit", as: people.researcher, states: editStates },
  { name: "workshop", route: "/workshops/:id", as: people.researcher, states: workshopStates },
  { name: "code of a workshop", route: "/workshops/:id/screen", as: people.researcher, states: screenStates },
  { name: "board", route: "/workshops/:id/board", as: people.researcher, states: boardStates },
  { name: "report of a workshop", route: "/workshops/:id/report", as: people.researcher, states: reportStates },
  { name: "join a workshop", route: "/join/:key", states: joinStates },
];
