import { expect, type Locator, type Page } from "@playwright/test";
import { expectSoon, moveTo } from "../answers";
import { callAs } from "../calls";
import type { GitHub } from "../github";
import { openAs, type Person } from "../people";
import type { CairnServer } from "../server";
import type { Watch } from "../watch";

/** What a state's setup can use. */
export interface Stage {
  page: Page;
  cairn: CairnServer;
  github: GitHub;
  watch: Watch;
}

/** A state of a page. */
export interface State {
  name: string;
  /** Only in a window of this width. */
  only?: "phone" | "desktop";
  /** A phone shows different elements, so `make test` visits it there too. It doesn't depend on earlier states. */
  phone?: true;
  open: (stage: Stage) => Promise<unknown>;
  /** What is visible once the state is reached. */
  shows: (page: Page) => Locator;
  /** The page retries before it shows the failure, so its clock is advanced. */
  patient?: boolean;
}

/** States that share a page and a sign-in. */
export interface Scene {
  name: string;
  /** The path in the table of pages; other pages are named after what serves them. */
  route: string;
  as?: Person;
  states: State[];
}

/** A page to start from that makes no requests. */
export const quiet = "/events";

/** Signs in the person of the scene. */
export async function begin({ page }: Stage, { as }: Scene): Promise<void> {
  await page.clock.install();
  if (as) await openAs(page, as, quiet);
}

/** Sets up a state and waits until it is reached. */
export async function enter(stage: Stage, state: State): Promise<void> {
  const { page } = stage;
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await state.open(stage);
  const seen = state.shows(page).first();
  if (state.patient) await expectSoon(page, seen);
  await expect(seen).toBeVisible();
}

/** Answers what copies of sessions use, whose ids begin like this. */
export async function answerUsage(page: Page): Promise<void> {
  await page.route(/\/rf\/sessions\/01900000-0000-7000-8000-0/, (route) =>
    route.request().method() === "GET"
      ? route.fulfill({ json: { limits: { memoryBytes: 2 ** 31, cpus: 2, diskBytes: 2 ** 33 }, usage: { memoryBytes: 642_000_000, cpus: 1, diskBytes: 1e9 } } })
      : route.fallback(),
  );
}

/** Opens a page without the document's data. */
export async function arrive({ page }: Stage, address: string): Promise<void> {
  await page.goto(quiet);
  await page.getByRole("heading", { level: 1 }).waitFor();
  await moveTo(page, address);
}

const folders: Record<string, string> = { REPOSITORY: "repositories", DATASET: "datasets", NOTEBOOK: "notebooks", MODEL: "models" };

interface Found {
  id: string;
  name: string;
  type: string;
}

/** The address of a public entry. */
export async function pathOf({ cairn }: Stage, name: string): Promise<string> {
  const answer = await fetch(`${cairn.url}/api/v1/rf/resources/search?${new URLSearchParams({ name })}`);
  return pathAmong((await answer.json()) as Found[], name);
}

/** Returns the address of an entry visible to the signed-in person. */
export async function ownPathOf({ page }: Stage, name: string): Promise<string> {
  return pathAmong(await callAs<Found[]>(page, "GET", `/resources/search?${new URLSearchParams({ name })}`), name);
}

function pathAmong(found: Found[], name: string): string {
  const one = found.find((each) => each.name === name);
  if (!one) throw new Error(`there is no entry "${name}"`);
  return `/resources/${folders[one.type]}/${one.id}`;
}

export const main = (page: Page) => page.getByRole("main");
/** The error shown in place of the content. */
export const failure = (page: Page) => main(page).getByRole("alert").first();
export const waiting = (page: Page) => main(page).getByRole("status").filter({ hasText: /Loading|Searching|Reading/ }).first();
export const firstCard = (page: Page) => main(page).getByRole("article").first();
export const dialog = (page: Page) => page.getByRole("dialog");
export const heading = (name: string | RegExp) => (page: Page) => page.getByRole("heading", { level: 1, name });
export const toast = (text: string | RegExp) => (page: Page) =>
  page.getByRole("region", { name: "Notifications" }).getByText(text).first();
