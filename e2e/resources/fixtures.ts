import { expect, type Page } from "@playwright/test";
import { CairnServer } from "../support/server";
import { test as base } from "../support/test";
import { entries, hostileMarkdown } from "./entries";

/** The usual test function, on a server with these entries and a workflow platform. */
export const test = base.extend<object, { cairn: CairnServer }>({
  cairn: [
    async ({}, use) => {
      const cairn = await CairnServer.start({
        environment: {
          CAIRN_WORKFLOW_NAME: "Airavata",
          CAIRN_WORKFLOW_URL: "https://airavata.example.org/create?app={applicationInterfaceId}",
        },
      });
      try {
        await cairn.import(...entries);
        await expect.poll(async () => (await found(cairn, "?tag=hostile+text")).length).toBe(hostileMarkdown.length + 1);
        await use(cairn);
      } finally {
        await cairn.close();
      }
    },
    { scope: "worker" },
  ],
});

interface Found {
  id: string;
  name: string;
  type: string;
}

/** Returns what an anonymous API search finds. */
export async function found(cairn: CairnServer, query: string): Promise<Found[]> {
  const answer = await fetch(`${cairn.url}/api/v1/rf/resources/public${query}`);
  return ((await answer.json()) as { content: Found[] }).content;
}

const folders: Record<string, string> = { REPOSITORY: "repositories", DATASET: "datasets", NOTEBOOK: "notebooks", MODEL: "models" };

export function pathOf({ id, type }: Found): string {
  return `/resources/${folders[type]}/${id}`;
}

/** Returns the address of a public test entry. */
export async function pathTo(cairn: CairnServer, name: string): Promise<string> {
  const one = (await found(cairn, "?tag=heron")).find((each) => each.name === name);
  if (one === undefined) throw new Error(`there is no ${name}`);
  return pathOf(one);
}

/** Opens an entry's page and waits until it is loaded. */
export async function open(page: Page, path: string, name: string): Promise<void> {
  await page.goto(path);
  await expect(page.getByRole("heading", { level: 1, name, exact: true })).toBeVisible();
}

/** The row of what can be done with an entry. */
export const actions = (page: Page) => page.getByRole("group", { name: "Actions" });

/** Expands the facts, which are collapsed in a narrow window. */
export async function unfoldFacts(page: Page): Promise<void> {
  const facts = page.getByRole("complementary", { name: "Facts" });
  if (await facts.getByText("Privacy").isHidden()) await facts.getByText(/^Facts/).click();
  await expect(facts.getByText("Privacy")).toBeVisible();
}

export { expect } from "@playwright/test";
