import type { Page } from "@playwright/test";
import { alter, calls, hold, refuse } from "../answers";
import { people } from "../people";
import { arrive, failure, main, pathOf, type Scene, type Stage, type State, toast, waiting } from "./state";

const descriptors = /^\/codehost\/descriptor$/;

async function pull({ page, watch }: Stage, slug: string, repeat = false): Promise<void> {
  watch.expects(/status of 4\d\d/);
  if (!repeat) await page.goto("/add/repo");
  await main(page).getByRole("textbox").fill(slug.startsWith("http") ? slug : `https://github.com/lab/${slug}`);
  await main(page).getByRole("textbox").press("Enter");
}

const repositoryStates: State[] = [
  { name: "address", open: ({ page }) => page.goto("/add/repo"), shows: (page) => main(page).getByRole("textbox") },
  { name: "no address of GitHub", open: (stage) => pull(stage, "https://intranet/lab/x"), shows: (page) => main(page).getByText("Invalid GitHub URL format.") },
  { name: "no descriptor", open: (stage) => pull(stage, "bare", true), shows: (page) => main(page).getByText(/^Failed to fetch/) },
  {
    name: "perhaps private",
    open: async (stage) => {
      const content = [{ host: "github", label: "GitHub", kind: "github", url: "https://github.com", oauth: true, scopes: [] }];
      await stage.page.route(calls(/^\/account\/connections$/), (route) => route.fulfill({ json: { content, totalElements: 1, number: 0, size: 1 } }));
      await pull(stage, "bare");
    },
    shows: (page) => main(page).getByRole("link", { name: "Connect your account at GitHub" }),
  },
  { name: "faults", open: (stage) => pull(stage, "faulty", true), shows: (page) => main(page).getByRole("list", { name: "What to correct" }) },
  {
    name: "pulling",
    open: async (stage) => {
      await hold(stage.page, descriptors);
      await pull(stage, "new");
    },
    shows: (page) => main(page).getByRole("button", { name: /^Pulling/ }),
  },
  { name: "undecided", open: (stage) => pull(stage, "unsaid"), shows: (page) => main(page).getByRole("button", { name: "Add as public" }) },
  { name: "review", open: (stage) => pull(stage, "new"), shows: (page) => main(page).getByText("Filter the traces") },
  {
    name: "review of a private one",
    open: async (stage) => {
      await alter<object>(stage.page, descriptors, (answer) => ({ ...answer, privacy: "PRIVATE", audience: "host" }));
      await pull(stage, "new");
    },
    shows: (page) => main(page).getByText(/^PRIVATE This repository is private at/),
  },
  { name: "review of gaps", open: (stage) => pull(stage, "cited"), shows: (page) => main(page).getByText("from CITATION.cff").first() },
  {
    name: "refused",
    open: async (stage) => {
      await pull(stage, "anothers");
      await main(stage.page).getByRole("button", { name: "Add Repository" }).click();
    },
    shows: toast(/Failed to add repository/),
  },
];

const picker = (page: Page, what: string) => main(page).getByRole("combobox", { name: new RegExp(what, "i") });

const projectStates: State[] = [
  {
    name: "empty",
    open: async ({ page }) => {
      await page.goto("/add/project");
      await main(page).getByRole("option").first().waitFor();
    },
    shows: (page) => main(page).getByRole("option").last(),
  },
  {
    name: "faults",
    open: ({ page }) => main(page).getByRole("button", { name: "Create project" }).click(),
    shows: toast(/select a repository/),
  },
  {
    name: "nothing matches",
    open: async ({ page }) => {
      await page.reload();
      await picker(page, "repositories").fill("qqqq zzzz");
      await picker(page, "repositories").press("Enter");
    },
    shows: (page) => main(page).getByText("No repositories found"),
  },
  {
    name: "filled",
    open: async (stage) => {
      const [repository, dataset] = await Promise.all([pathOf(stage, "First steps"), pathOf(stage, "Membrane recording of a model neuron")]);
      const id = (path: string) => path.split("/").at(-1) ?? "";
      await stage.page.goto(`/add/project?repositoryId=${id(repository)}&datasetIds=${id(dataset)}`);
      await main(stage.page).getByRole("textbox").first().fill("Spikes and argon");
      await main(stage.page).getByRole("option").first().waitFor();
    },
    shows: (page) => main(page).getByRole("button", { name: /^Remove the dataset/ }),
  },
  {
    name: "refused",
    open: async (stage) => {
      await refuse(stage, /^\/projects$/, { message: "The disk is full." });
      await main(stage.page).getByRole("button", { name: "Create project" }).click();
    },
    shows: toast("Error creating project"),
  },
  {
    name: "search failed",
    open: async (stage) => {
      await refuse(stage, /^\/resources$/);
      await arrive(stage, "/add/project");
    },
    shows: (page) => main(page).getByText(/The search failed/).first(),
  },
  {
    name: "parts loading",
    open: async (stage) => {
      await hold(stage.page, /^\/resources\/public\/[^/]+$/);
      const id = (await pathOf(stage, "First steps")).split("/").at(-1);
      await arrive(stage, `/add/project?repositoryId=${id}`);
    },
    shows: waiting,
  },
  {
    name: "parts missing",
    open: ({ page, watch }) => {
      watch.expects(/status of 404/);
      return page.goto("/add/project?repositoryId=01900000-0000-7000-8000-000000000000");
    },
    shows: failure,
  },
];

/** The form of an entry written here, plain and with every validation error. */
function written(kind: string): Scene {
  return {
    name: `add a ${kind}`,
    route: `/add/${kind}`,
    as: people.researcher,
    states: [
      { name: "empty", open: ({ page }) => page.goto(`/add/${kind}`), shows: (page) => main(page).getByRole("textbox", { name: "Name" }) },
      {
        name: "faults",
        open: ({ page, watch }) => {
          watch.expects(/status of 422/);
          return main(page).getByRole("button", { name: `Add ${kind}` }).click();
        },
        shows: failure,
      },
    ],
  };
}

/** The choice of what to add, and its forms. */
export const contributeScenes: Scene[] = [
  {
    name: "add",
    route: "/add",
    as: people.researcher,
    states: [
      { name: "choice", open: ({ page }) => page.goto("/add"), shows: (page) => main(page).getByRole("article").first() },
      {
        name: "many at once",
        open: ({ page }) => main(page).locator("summary").click(),
        shows: (page) => main(page).getByText("cairn import FILE"),
      },
    ],
  },
  { name: "add a repository", route: "/add/repo", as: people.researcher, states: repositoryStates },
  { name: "add a project", route: "/add/project", as: people.researcher, states: projectStates },
  ...["dataset", "notebook", "model"].map(written),
];

