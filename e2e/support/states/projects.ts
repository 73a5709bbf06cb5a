import { alter, calls, hold, refuse } from "../answers";
import { callAs } from "../calls";
import { people } from "../people";
import { demoProject } from "../sessions";
import { answerUsage, arrive, dialog, failure, heading, main, pathOf, type Scene, type Stage, type State, toast, waiting } from "./state";
import { names } from "./world";

const one = /^\/projects\/public\/[^/]+$/;
const members = /^\/projects\/[^/]+\/members$/;
const nobodys = "/projects/01900000-0000-7000-8000-000000000000";

interface Project {
  id: string;
  name: string;
  datasetResources: object[];
}

/** The page of a published project, as everybody finds it. */
async function published(stage: Stage): Promise<string> {
  const id = (await pathOf(stage, "First steps")).split("/").at(-1);
  const answer = await fetch(`${stage.cairn.url}/api/v1/rf/resources/public/${id}/projects`);
  return pathAmong((await answer.json()) as Project[], demoProject);
}

async function own({ page }: Stage): Promise<string> {
  return pathAmong(await callAs<Project[]>(page, "GET", "/projects"), names.lostProject);
}

function pathAmong(projects: Project[], name: string): string {
  return `/projects/${projects.find((each) => each.name === name)?.id}`;
}

/** Two sessions of a project, and one of another. */
function sessionsOf(path: string): object[] {
  const like = (nth: number, sessionName: string, status: string, id = path.split("/").at(-1)) => ({
    ...{ id: `01900000-0000-7000-8000-00000000000${nth}`, sessionName, status, statusReason: "" },
    ...{ createdAt: "2026-01-05T10:00:00Z", project: { id, name: "x", repositoryResource: {}, datasetResources: [] } },
  });
  return [
    like(1, "A first look", "RUNNING"),
    like(2, "What was tried, with which data, and why it matters, in one long name", "TERMINATED"),
    like(3, "Something else", "RUNNING", "01900000-0000-7000-8000-000000000009"),
  ];
}

/** Opens a page as if the signed-in person had this part in the project. */
async function shared(stage: Stage, path: string, part: { role?: string; offeredTo?: string; published?: boolean }, page = ""): Promise<void> {
  const since = "2026-01-05T10:00:00Z";
  const everybody = [
    { email: `somebody.with.a.long.address@${"department-of-".repeat(3)}neuroscience.example.org`, role: "editor", since },
    { email: people.colleague.email, role: part.role === "editor" ? "editor" : "viewer", since },
  ];
  await stage.page.route(calls(members), (route) => (route.request().method() === "GET" ? route.fulfill({ json: everybody }) : route.fallback()));
  await alter<object>(stage.page, one, (project) => ({ ...project, ...part }));
  await arrive(stage, path + page);
}

const visited: State[] = [
  { name: "published", open: async (stage) => stage.page.goto(await published(stage)), shows: heading(demoProject) },
  {
    name: "part not available",
    phone: true,
    open: async (stage) => {
      await alter<Project>(stage.page, one, (project) => {
        const [first, ...others] = project.datasetResources;
        const gone = { ...first, name: "Not available", authors: [], state: "DELETED", privacy: "PRIVATE" };
        return { ...project, available: false, datasetResources: [gone, ...others] };
      });
      await arrive(stage, await published(stage));
    },
    shows: (page) => main(page).getByText("Deleted, or private to its authors"),
  },
  {
    name: "not found",
    open: ({ page, watch }) => {
      watch.expects(/status of 404/);
      return page.goto(nobodys);
    },
    shows: heading("This project isn't available."),
  },
  {
    name: "loading",
    open: async (stage) => {
      await hold(stage.page, one);
      await arrive(stage, await published(stage));
    },
    shows: waiting,
  },
  {
    name: "failed",
    open: async (stage) => {
      await refuse(stage, one);
      await arrive(stage, await published(stage));
    },
    shows: failure,
    patient: true,
  },
];

const owned: State[] = [
  {
    name: "no sessions",
    open: async (stage) => stage.page.goto(await own(stage)),
    shows: (page) => main(page).getByText("You haven't started any sessions from this project."),
  },
  {
    name: "sessions",
    phone: true,
    open: async (stage) => {
      const path = await own(stage);
      await alter(stage.page, /^\/sessions$/, () => sessionsOf(path));
      await answerUsage(stage.page);
      await stage.page.goto(path);
    },
    shows: (page) => main(page).getByText("A first look"),
  },
  {
    name: "delete",
    open: ({ page }) => main(page).getByRole("button", { name: "Delete" }).click(),
    shows: dialog,
  },
  {
    name: "members",
    phone: true,
    open: async (stage) => shared(stage, await own(stage), { role: "owner" }),
    shows: (page) => main(page).getByRole("combobox", { name: `Role of ${people.colleague.email}` }),
  },
  {
    name: "address refused",
    phone: true,
    open: async (stage) => {
      await shared(stage, await own(stage), { role: "owner" });
      await main(stage.page).getByRole("textbox", { name: "E-mail address" }).fill(people.colleague.email);
      await main(stage.page).getByRole("button", { name: "Add", exact: true }).click();
    },
    shows: (page) => main(page).getByText(/is a member already/),
  },
  {
    name: "remove a member",
    open: async (stage) => {
      await shared(stage, await own(stage), { role: "owner" });
      await main(stage.page).getByRole("button", { name: `Remove ${people.colleague.email}` }).click();
    },
    shows: dialog,
  },
  {
    name: "hand over",
    open: async (stage) => {
      await shared(stage, await own(stage), { role: "owner" });
      await main(stage.page).getByRole("button", { name: "Offer this project to another owner" }).click();
    },
    shows: dialog,
  },
  {
    name: "handed over, not accepted yet",
    open: async (stage) => shared(stage, await own(stage), { role: "owner", offeredTo: people.colleague.email }),
    shows: (page) => main(page).getByRole("button", { name: "Withdraw" }),
  },
  {
    name: "members failed",
    open: async (stage) => {
      const path = await own(stage);
      await refuse(stage, members);
      await arrive(stage, path);
    },
    shows: failure,
    patient: true,
  },
  {
    name: "share",
    open: async (stage) => {
      await stage.page.goto(await published(stage));
      await main(stage.page).getByRole("button", { name: "Share" }).click();
    },
    shows: dialog,
  },
  {
    name: "sessions failed",
    open: async (stage) => {
      stage.watch.expects(/The sessions cannot be brought up to date/);
      const path = await own(stage);
      await refuse(stage, /^\/sessions$/);
      await arrive(stage, path);
    },
    shows: failure,
    patient: true,
  },
];

const joined: State[] = [
  {
    name: "viewer",
    phone: true,
    open: async (stage) => shared(stage, await published(stage), { role: "viewer", published: false }),
    shows: (page) => main(page).getByText("You can see and start this project."),
  },
  {
    name: "editor who leaves",
    open: async (stage) => {
      await shared(stage, await published(stage), { role: "editor", published: false });
      await main(stage.page).getByRole("button", { name: "Leave project" }).click();
    },
    shows: dialog,
  },
  {
    name: "offered",
    phone: true,
    open: async (stage) => shared(stage, await published(stage), { offeredTo: people.colleague.email }),
    shows: (page) => main(page).getByRole("button", { name: "Refuse" }),
  },
  {
    name: "accept",
    open: ({ page }) => main(page).getByRole("button", { name: "Accept" }).click(),
    shows: dialog,
  },
];

const edited: State[] = [
  {
    name: "filled",
    open: async (stage) => {
      await stage.page.goto(`${await own(stage)}/edit`);
      await main(stage.page).getByRole("option").first().waitFor();
    },
    shows: heading(`Edit ${names.lostProject}`),
  },
  {
    name: "faults",
    open: async ({ page }) => {
      await main(page).getByRole("textbox", { name: "Project name" }).fill(" ");
      await main(page).getByRole("button", { name: "Save" }).click();
    },
    shows: toast(/enter a project name/),
  },
  {
    name: "refused",
    open: async (stage) => {
      await refuse(stage, /^\/projects\/[^/]+$/, { message: "The disk is full." });
      await main(stage.page).getByRole("textbox", { name: "Project name" }).fill("Another name");
      await main(stage.page).getByRole("button", { name: "Save" }).click();
    },
    shows: failure,
  },
  {
    name: "loading",
    open: async (stage) => {
      const path = await own(stage);
      await hold(stage.page, one);
      await arrive(stage, `${path}/edit`);
    },
    shows: waiting,
  },
  {
    name: "failed",
    open: async (stage) => {
      const path = await own(stage);
      await refuse(stage, one);
      await stage.page.goto(`${path}/edit`);
    },
    shows: failure,
    patient: true,
  },
  {
    name: "not found",
    open: ({ page, watch }) => {
      watch.expects(/status of 404/);
      return page.goto(`${nobodys}/edit`);
    },
    shows: (page) => main(page).getByRole("link", { name: "Go to your projects" }),
  },
];

/** The page of a project and its form, for visitors, owners and others. */
export const projectScenes: Scene[] = [
  { name: "project", route: "/projects/:id", states: visited },
  { name: "own project", route: "/projects/:id", as: people.researcher, states: owned },
  { name: "shared project", route: "/projects/:id", as: people.colleague, states: joined },
  { name: "edit a project", route: "/projects/:id/edit", as: people.researcher, states: edited },
  {
    name: "edit somebody else's project",
    route: "/projects/:id/edit",
    as: people.colleague,
    states: [
      {
        name: "owner only",
        open: async (stage) => stage.page.goto(`${await published(stage)}/edit`),
        shows: (page) => main(page).getByRole("link", { name: "Show the project" }),
      },
      {
        name: "editor",
        open: async (stage) => shared(stage, await published(stage), { role: "editor" }, "/edit"),
        shows: (page) => main(page).getByText(/Only the owner decides whether it's published/),
      },
    ],
  },
];
