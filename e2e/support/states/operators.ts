import { alter, hold, refuse } from "../answers";
import { people } from "../people";
import { arrive, failure, main, type Scene, type State } from "./state";

const overview = /^\/operator\/overview$/;
const health = /^\/operator\/health$/;

/** A server on which much happens. */
const busy = {
  ...{ version: "v1.4.0", startedAt: "2026-03-01T12:00:00Z", people: { accounts: 48_213, waiting: 17, today: 912, week: 6_480 } },
  engines: [
    { name: "local", label: "Jupyter on this server", queued: 4, starting: 2, running: 16, finished: 1_204, terminated: 377, failed: 61 },
    { name: "hub", label: "", queued: 0, starting: 0, running: 0, finished: 12, terminated: 3, failed: 1 },
  ],
  queue: { waiting: 4, since: "2026-03-02T11:48:00Z", capacity: 16 },
  machine: { load: 1.4, processors: 2, memoryBytes: 25_769_803_776, memoryUsedBytes: 17_179_869_184 },
  runs: { waiting: 3, running: 1, clean: 41, nothing: 6, differs: 4, failed: 2, needs: 5 },
  disks: [
    { name: "data", freeBytes: 52_000_000_000, sizeBytes: 100_000_000_000 },
    { name: "sessions", freeBytes: 11_000_000_000, sizeBytes: 500_000_000_000 },
  ],
  failures: [
    {
      ...{ code: "memory", count: 12, engines: ["local"], lastAt: "2026-03-02T11:58:00Z" },
      example: "It needed more than the 2 GiB of memory that a session has here.",
    },
    {
      ...{ code: "", count: 1, engines: ["local", "hub"], lastAt: "2026-03-02T11:12:00Z" },
      example: "It failed for an unknown reason. The log may say more.",
    },
  ],
};

const overviewStates: State[] = [
  {
    name: "busy",
    open: async ({ page }) => {
      await alter(page, overview, () => busy);
      await page.goto("/operator");
    },
    shows: (page) => main(page).getByText("memory", { exact: true }),
    phone: true,
  },
  { name: "quiet", open: ({ page }) => page.goto("/operator"), shows: (page) => main(page).getByText("No session failed in the last hour.") },
  {
    name: "loading",
    open: async (stage) => {
      await hold(stage.page, overview);
      await arrive(stage, "/operator");
    },
    shows: (page) => main(page).getByText("Loading the overview"),
  },
  {
    name: "failed",
    open: async (stage) => {
      await refuse(stage, overview);
      await arrive(stage, "/operator");
    },
    shows: failure,
    patient: true,
  },
];

const healthStates: State[] = [
  {
    name: "something to fix",
    open: async ({ page }) => {
      await alter(page, health, () => ({
        ok: false,
        checkedAt: "2026-03-02T12:00:00Z",
        checks: [
          { name: "database", ok: true, saw: "answers in 300µs", fixes: [], milliseconds: 1 },
          {
            ...{ name: "disk", ok: false, saw: "", milliseconds: 1 },
            fixes: ["The disk of /var/lib/cairn has 2.1 GiB left, so no session starts. Make room, set a smaller disk.reserve, or move the folder to a larger disk."],
          },
          { name: "backup", ok: false, saw: "", fixes: ["The last backup is 9 days old. Run cairn backup every night: see docs/operate.md."], milliseconds: 1 },
        ],
      }));
      await page.goto("/operator/health");
    },
    shows: (page) => main(page).getByText("2 things need to be fixed."),
  },
  {
    name: "no backup yet",
    open: async ({ page }) => {
      await alter(page, health, () => ({
        ok: true,
        checkedAt: "2026-03-02T12:00:00Z",
        checks: [
          { name: "database", ok: true, saw: "answers in 300µs", fixes: [], milliseconds: 1 },
          {
            ...{ name: "backup", ok: true, saw: "", fixes: [], milliseconds: 1 },
            advice: ["No backup yet. Set one up: let `cairn backup` run every night, with the script in docs/operate.md under “Back up”."],
          },
        ],
      }));
      await page.goto("/operator/health");
    },
    shows: (page) => main(page).getByText("Nothing is broken, but 1 thing should be set up."),
  },
  { name: "checked", open: ({ page }) => page.goto("/operator/health"), shows: (page) => main(page).getByRole("listitem").filter({ hasText: "database" }) },
  {
    name: "loading",
    open: async (stage) => {
      await hold(stage.page, health);
      await arrive(stage, "/operator/health");
    },
    shows: (page) => main(page).getByText("Checking the server"),
  },
  {
    name: "failed",
    open: async (stage) => {
      await refuse(stage, health);
      await arrive(stage, "/operator/health");
    },
    shows: failure,
    patient: true,
  },
];

const refused: State[] = [
  { name: "refused", open: ({ page }) => page.goto("/operator"), shows: (page) => main(page).getByText("Only operators can see what this server does.") },
];

/** The operators' pages about the server, and the former address of one of them. */
export const operatorScenes: Scene[] = [
  { name: "overview of operators", route: "/operator", as: people.operator, states: overviewStates },
  { name: "health", route: "/operator/health", as: people.operator, states: healthStates },
  { name: "overview to others", route: "/operator", as: people.researcher, states: refused },
  {
    name: "former address of accounts",
    route: "/accounts",
    as: people.operator,
    states: [
      {
        name: "leads on",
        open: async ({ page }) => {
          await page.goto("/accounts?search=newcomer");
          await page.waitForURL("**/operator/accounts?search=newcomer");
        },
        shows: (page) => main(page).getByRole("listitem").first(),
      },
    ],
  },
];
