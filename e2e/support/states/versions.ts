import { expect, type Page } from "@playwright/test";
import { hold, refuse } from "../answers";
import { callAs, startByCall } from "../calls";
import { people } from "../people";
import { demoProject } from "../sessions";
import { arrive, dialog, failure, main, type Scene, type State, toast, waiting } from "./state";

const list = /^\/sessions\/[^/]+\/versions$/;
const files = /^\/sessions\/[^/]+\/versions\/[^/]+\/files$/;
const difference = /^\/sessions\/[^/]+\/versions\/[^/]+\/diff$/;

const name = "Spikes with saved versions";

interface Session {
  id: string;
  sessionName: string;
  status: string;
}

const find = async (page: Page) =>
  (await callAs<Session[]>(page, "GET", "/sessions")).find(({ sessionName }) => sessionName === name);

/** The address of the versions of a session that has a named one, and has stopped, so that nothing of it stays. */
async function addressOf(page: Page): Promise<string> {
  const known = (await find(page))?.id;
  const id = known ?? (await startByCall(page, demoProject, name));
  if (known === undefined) {
    await expect.poll(async () => (await find(page))?.status, { timeout: 180_000 }).toBe("RUNNING");
    await callAs(page, "POST", `/sessions/${id}/versions`, { name: "Before the new fit" });
    await callAs(page, "PATCH", `/sessions/${id}?status=TERMINATED`);
    await expect.poll(async () => (await find(page))?.status, { timeout: 180_000 }).toBe("TERMINATED");
  }
  return `/sessions/${id}/versions`;
}

const open = (search = "") => async ({ page }: { page: Page }) => page.goto((await addressOf(page)) + search);

const states: State[] = [
  { name: "the newest version", phone: true, open: open(), shows: (page) => main(page).getByRole("link", { name: "first-steps", exact: true }) },
  {
    name: "a file like the present one",
    open: open("?file=first-steps%2FREADME.md"),
    shows: (page) => main(page).getByText("It's the same as the current file."),
  },
  {
    name: "restore a file",
    phone: true,
    open: async ({ page }) => {
      await open("?file=first-steps%2FREADME.md")({ page });
      await main(page).getByRole("button", { name: "Restore", exact: true }).click();
    },
    shows: dialog,
  },
  {
    name: "restore refused",
    open: async (stage) => {
      await refuse(stage, /\/restore$/, { message: "The disk is full. Nothing was changed." });
      await dialog(stage.page).getByRole("button", { name: "Keep both" }).click();
    },
    shows: (page) => dialog(page).getByRole("alert"),
  },
  {
    name: "save a version without a name",
    open: async ({ page }) => {
      await open()({ page });
      await page.getByRole("button", { name: "Save a version now" }).click();
      await dialog(page).getByRole("button", { name: "Save", exact: true }).click();
    },
    shows: (page) => dialog(page).getByText("Enter a name"),
  },
  { name: "no version of that file", open: open("?file=nothing.txt"), shows: (page) => main(page).getByRole("button", { name: "Show all versions" }) },
  {
    name: "loading",
    open: async (stage) => {
      const address = await addressOf(stage.page);
      await hold(stage.page, list);
      await arrive(stage, address);
    },
    shows: waiting,
  },
  {
    name: "failed",
    open: async (stage) => {
      const address = await addressOf(stage.page);
      await refuse(stage, list);
      await arrive(stage, address);
    },
    shows: failure,
    patient: true,
  },
  {
    name: "files failed",
    open: async (stage) => {
      const address = await addressOf(stage.page);
      await refuse(stage, files);
      await arrive(stage, address);
    },
    shows: failure,
    patient: true,
  },
  {
    name: "comparison failed",
    open: async (stage) => {
      const address = await addressOf(stage.page);
      await refuse(stage, difference, { status: 413, message: "The file has more than 8 MiB. Download both states instead." });
      await arrive(stage, `${address}?file=first-steps%2FREADME.md`);
    },
    shows: failure,
  },
  {
    name: "recently deleted",
    phone: true,
    open: async ({ page }) => {
      await addressOf(page);
      const id = (await find(page))?.id;
      await callAs(page, "DELETE", `/sessions/${id}`);
      await page.goto("/sessions");
      await page.getByText(/^Recently deleted \(\d+\)$/).click();
    },
    shows: (page) => page.getByRole("button", { name: `Undelete session ${name}` }),
  },
  {
    name: "undelete refused",
    open: async (stage) => {
      await refuse(stage, /\/undelete$/, { status: 409, message: "Your saved versions take all of your space." });
      await stage.page.getByRole("button", { name: `Undelete session ${name}` }).click();
    },
    shows: toast("The session couldn't be restored"),
  },
  {
    name: "delete for good",
    open: async ({ page }) => page.getByRole("button", { name: `Delete session ${name} for good` }).click(),
    shows: dialog,
  },
];

export const versionScenes: Scene[] = [{ name: "versions", route: "/sessions/:id/versions", as: people.researcher, states }];
