import type { Page } from "@playwright/test";
import { alter, cutOff, hold, refuse } from "../answers";
import { callAs, startByCall } from "../calls";
import { people } from "../people";
import { demoProject, expectStatus, newSessionDialog, startButton } from "../sessions";
import { answerUsage, arrive, dialog, failure, heading, main, pathOf, type Scene, type State, toast, waiting } from "./state";
import { names } from "./world";

const list = /^\/sessions$/;
const projects = /^\/projects$/;

interface Session {
  id: string;
  sessionName: string;
  status: string;
}

/** A session whose launch fails quickly, because its dataset is missing. */
const failed = "Spikes of a lost recording";

async function start(page: Page): Promise<void> {
  const known = await callAs<Session[]>(page, "GET", "/sessions");
  if (known.every(({ sessionName }) => sessionName !== failed)) await startByCall(page, names.lostProject, failed);
  await page.goto("/sessions");
  await expectStatus(page, failed, "ERROR");
}

/** Copies of the existing session, one in each state. */
function everyState([session]: Session[]): object[] {
  const soon = (minutes: number) => new Date(Date.now() + 60_000 * minutes).toISOString();
  const like = (nth: number, sessionName: string, status: string, rest: object = {}) => ({
    ...{ ...session, id: `01900000-0000-7000-8000-00000000000${nth}`, sessionName, status, statusReason: "" },
    ...rest,
  });
  return [
    like(1, "Spikes and argon, a first look", "RUNNING", { stopsAt: soon(235) }),
    like(2, "Spikes and argon, with a long name that tells what was tried, with which data, and why it matters", "RUNNING", {
      stopsAt: soon(12),
      warning: "This session's files take 9.6 GiB, more than the 8 GiB allowed. Delete some, or the session is stopped at 14:05 UTC; the files are kept.",
    }),
    like(3, "Argon at 120 K", "CREATED", { step: "Connect the datasets" }),
    like(4, "Argon at 140 K", "CREATED", { queuePosition: 2 }),
    like(5, "Argon at 90 K", "RUNNING", { requestedStatus: "TERMINATED" }),
    like(6, "Overnight run", "FINISHED", { statusReason: "It was idle for 8 hours.", keptUntil: soon(43_200) }),
    like(7, "First try", "TERMINATED", { keptUntil: soon(43_200) }),
    { ...session },
  ];
}

const dashboard: State[] = [
  { name: "no sessions", open: ({ page }) => page.goto("/sessions"), shows: (page) => main(page).getByRole("article", { name: demoProject }) },
  {
    name: "every state",
    phone: true,
    open: async ({ page }) => {
      await start(page);
      await alter<Session[]>(page, list, everyState);
      await answerUsage(page);
      await page.reload();
    },
    shows: (page) => main(page).getByRole("article", { name: "First try" }),
  },
  {
    name: "none in that state",
    open: async ({ page }) => {
      await page.reload();
      await expectStatus(page, failed, "ERROR");
      await page.getByRole("group").getByRole("button", { name: "FINISHED" }).click();
    },
    shows: (page) => main(page).getByRole("button", { name: "Show all states" }),
  },
  {
    name: "delete a session",
    open: async ({ page }) => {
      await page.getByRole("group").getByRole("button", { name: "All" }).click();
      await page.getByRole("button", { name: `Delete session ${failed}` }).click();
    },
    shows: dialog,
  },
  {
    name: "delete all",
    open: async ({ page }) => {
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: "Delete All" }).click();
    },
    shows: dialog,
  },
  {
    name: "delete a project",
    open: async ({ page }) => {
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: `Delete project ${names.lostProject}` }).click();
    },
    shows: dialog,
  },
  {
    name: "new session",
    open: async ({ page }) => {
      await page.goto("/sessions");
      await startButton(page).click();
    },
    shows: newSessionDialog,
  },
  {
    name: "new session without a name",
    open: async ({ page }) => {
      await newSessionDialog(page).getByRole("textbox").fill("");
      await newSessionDialog(page).getByRole("textbox").press("Enter");
    },
    shows: toast("Session name is required"),
  },
  {
    name: "name too long",
    open: ({ page }) => newSessionDialog(page).getByRole("textbox").fill("Spikes ".repeat(30)),
    shows: (page) => newSessionDialog(page).getByText(/200 characters/),
  },
  {
    name: "terminate refused",
    open: async (stage) => {
      await refuse(stage, /^\/sessions\/[^/]+$/, { message: "The engine isn't responding." });
      await stage.page.goto("/sessions");
      await stage.page.getByRole("button", { name: "Terminate", exact: true }).click();
    },
    shows: toast("Error terminating session"),
  },
  {
    name: "tooltip",
    open: async ({ page }) => {
      await page.goto("/sessions");
      await expectStatus(page, failed, "ERROR");
      await page.getByRole("heading", { level: 1 }).focus();
      await page.keyboard.press("Tab");
    },
    shows: (page) => page.getByRole("tooltip").first(),
  },
  {
    name: "not up to date",
    open: async (stage) => {
      stage.watch.expects(/The sessions cannot be brought up to date/);
      await cutOff(stage, list);
    },
    shows: (page) => main(page).getByRole("status").filter({ hasText: "couldn't be refreshed" }),
    patient: true,
  },
  {
    name: "loading",
    open: async (stage) => {
      await hold(stage.page, list);
      await hold(stage.page, projects);
      await arrive(stage, "/sessions");
    },
    shows: waiting,
  },
  {
    name: "failed",
    open: async (stage) => {
      stage.watch.expects(/The sessions cannot be brought up to date/);
      await refuse(stage, list);
      await refuse(stage, projects);
      await arrive(stage, "/sessions");
    },
    shows: (page) => main(page).getByRole("alert").nth(1),
    patient: true,
  },
];

async function idOfFailed(page: Page): Promise<string> {
  await start(page);
  const sessions = await callAs<Session[]>(page, "GET", "/sessions");
  return sessions.find(({ sessionName }) => sessionName === failed)?.id ?? "";
}

const opening: State[] = [
  { name: "nothing to open", open: ({ page }) => page.goto("/open"), shows: (page) => main(page).getByRole("link", { name: /sessions/ }) },
];

const openingOne: State[] = [
  {
    name: "refused",
    open: async (stage) => {
      stage.watch.expects(/The session cannot be opened/);
      const message = "You have 10 sessions that are created or running, which is the limit. Terminate one of them first.";
      const id = await idOfFailed(stage.page);
      await refuse(stage, /^\/hub\/resume\//, { status: 409, message });
      await stage.page.goto(`/sessions/${id}/open`);
    },
    shows: failure,
  },
  {
    name: "opening",
    open: async ({ page }) => {
      const id = await idOfFailed(page);
      await hold(page, /^\/hub\/resume\//);
      await page.goto(`/sessions/${id}/open`);
    },
    shows: heading(/\w/),
  },
];

/** The events of a launch page while a session starts, which are real only for a moment. */
const starting = (() => {
  const step = (name: string, label: string, state: string, took?: number, usual = "") => {
    const at = (seconds: number) => new Date(Date.UTC(2026, 0, 5, 10, 0, seconds)).toISOString();
    return { name, label, state, detail: "", usual, ...(took !== undefined && { startedAt: at(0), endedAt: at(took) }) };
  };
  return {
    ...{ name: failed, project: names.lostProject, status: "CREATED", headline: "The session is starting and opens here automatically." },
    ...{ usual: "Usually ready in 5 to 8 s.", start: "", without: "", cancel: true, next: "" },
    log: [{ kind: "plain", text: "Cloning the repository\nCopied 6 files\n", size: 2 }],
    steps: [
      step("queued", "Queued", "done", 0),
      step("repository", "Copy the repository", "done", 1),
      step("datasets", "Connect the datasets", "done", 1),
      step("environment", "Prepare the environment", "active", undefined, "usually 2 to 3 s"),
      step("server", "Start Jupyter", "waiting"),
      step("ready", "Ready", "waiting"),
    ],
    serverTime: new Date(Date.UTC(2026, 0, 5, 10, 0, 4)).toISOString(),
  };
})();

const launchStates: State[] = [
  {
    name: "failed",
    open: async ({ page }) => {
      const id = await idOfFailed(page);
      const { redirectUrl } = await callAs<{ redirectUrl: string }>(page, "GET", `/hub/resume/session/${id}`);
      await page.goto(redirectUrl);
    },
    shows: (page) => page.getByRole("button", { name: /^Start without/ }),
  },
  {
    name: "starting",
    open: async ({ page }) => {
      const body = `retry: 60000\ndata: ${JSON.stringify(starting)}\n\n`;
      await page.route(/\/events(\?|$)/, (route) => route.fulfill({ contentType: "text/event-stream", body }));
      await page.reload();
      await page.getByRole("listitem").filter({ hasText: "Prepare the environment" }).waitFor();
      await page.getByText("Log", { exact: true }).click();
    },
    shows: (page) => page.getByRole("listitem").filter({ hasText: "Prepare the environment" }),
  },
  {
    name: "ended",
    open: async ({ page }) => {
      const { search, origin, pathname } = new URL(page.url());
      await page.goto("/sessions");
      await page.getByRole("button", { name: "Terminate", exact: true }).click();
      await expectStatus(page, failed, "TERMINATED");
      await page.goto(`${origin}${pathname}${search}`);
    },
    shows: (page) => page.getByRole("button", { name: "Start it again" }),
  },
  {
    name: "not yours",
    open: async (stage) => {
      stage.watch.expects(/status of 40[134]/);
      const { origin } = new URL(stage.page.url());
      await stage.page.context().clearCookies();
      await stage.page.goto(origin);
    },
    shows: (page) => page.getByRole("heading", { level: 1 }),
  },
];

/** The dashboard, the tab that turns into a session, and the pages of the session origin. */
const everybody = /^\/operator\/sessions$/;

/** What a session of a public entry runs and uses. */
const busySession = {
  ...{ entryId: "01900000-0000-7000-8000-000000000020", entryName: "Spike sorting", entryType: "REPOSITORY" },
  ...{ limits: { memoryBytes: 2 ** 31, cpus: 2, diskBytes: 10 * 2 ** 30 }, usage: { memoryBytes: 1.6 * 2 ** 30, cpus: 1.4, diskBytes: 312 * 2 ** 20 } },
};

/** Other people's sessions: a running one, and one stopped by operators. */
const ofOthers = [
  { id: "01900000-0000-7000-8000-000000000001", owner: people.researcher.email, engine: "local", engineLabel: "This server", status: "RUNNING", statusReason: "", ...busySession },
  {
    ...{ id: "01900000-0000-7000-8000-000000000002", owner: people.colleague.email, engine: "local", engineLabel: "This server", status: "TERMINATED", limits: {}, isJob: true },
    statusReason: "The operators stopped this session: The machine is moved tonight.",
  },
].map((session) => ({ ...session, createdAt: "2026-03-01T12:00:00Z", lastActivityAt: "2026-03-02T12:00:00Z" }));

/** Sessions that nobody has claimed: one of them is ready. */
const keptWarm = ["ready", "starting"].map((phase, index) => ({
  ...{ id: `01900000-0000-7000-8000-00000000001${index}`, entry: "01900000-0000-7000-8000-000000000020" },
  ...{ name: "Spike sorting", engine: "local", phase, createdAt: "2026-03-02T12:00:00Z" },
}));

const operatorStates: State[] = [
  {
    name: "loaded",
    open: async ({ page }) => {
      await alter(page, everybody, () => ({ content: ofOthers, totalElements: ofOthers.length, number: 0, size: 20, warm: keptWarm }));
      await page.goto("/operator/sessions?show=all");
    },
    shows: (page) => main(page).getByRole("listitem").first(),
  },
  {
    name: "stop",
    open: ({ page }) => main(page).getByRole("button", { name: `Stop the session of ${people.researcher.email}` }).click(),
    shows: dialog,
  },
  {
    name: "no match",
    open: ({ page }) => page.goto("/operator/sessions?show=all&search=no+such+person"),
    shows: (page) => main(page).getByText("No sessions match."),
  },
  {
    name: "loading",
    open: async (stage) => {
      await hold(stage.page, everybody);
      await arrive(stage, "/operator/sessions");
    },
    shows: (page) => main(page).getByRole("status").first(),
  },
  {
    name: "failed",
    open: async (stage) => {
      await refuse(stage, everybody);
      await arrive(stage, "/operator/sessions");
    },
    shows: failure,
    patient: true,
  },
];

const runStates: State[] = [
  {
    name: "repository",
    open: async (stage) => stage.page.goto(`${runOf(await pathOf(stage, "First steps"))}?file=first-steps.ipynb&ref=main&colour=red`),
    shows: (page) => main(page).getByRole("button", { name: "Sign in to run" }),
  },
  {
    name: "not runnable",
    open: async (stage) => stage.page.goto(runOf(await pathOf(stage, "Gromacs"))),
    shows: (page) => main(page).getByText(/Models run on the workflow platform/),
  },
  {
    name: "nothing",
    open: ({ page, watch }) => {
      watch.expects(/status of 404/);
      return page.goto("/run/01900000-0000-7000-8000-000000000000");
    },
    shows: heading("There is nothing to run at this address."),
  },
];

/** The page that runs the entry at an address. */
function runOf(path: string): string {
  return `/run/${path.split("/").at(-1)}`;
}

export const sessionScenes: Scene[] = [
  { name: "run", route: "/run/:id", states: runStates },
  { name: "everyone's sessions", route: "/operator/sessions", as: people.operator, states: operatorStates },
  { name: "sessions", route: "/sessions", as: people.researcher, states: dashboard },
  {
    name: "sessions of a newcomer",
    route: "/sessions",
    as: people.newcomer,
    states: [
      { name: "waiting and empty", open: ({ page }) => page.goto("/sessions"), shows: (page) => main(page).getByRole("link", { name: "Add a project" }) },
    ],
  },
  { name: "open", route: "/open", as: people.researcher, states: opening },
  { name: "open a session", route: "/sessions/:id/open", as: people.researcher, states: openingOne },
  { name: "launch", route: "launch page", as: people.researcher, states: launchStates },
];

