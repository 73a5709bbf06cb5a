import type { Page } from "@playwright/test";
import type { CairnServer } from "../support/server";
import { test as base } from "./fixtures";

export const owner = "researcher@example.org";

/** Entries for projects; their names say what is special about them. */
const code = { externalId: "spikes-code", type: "REPOSITORY", name: "Spike sorting", authors: [owner], privacy: "PUBLIC" };
const parts = [
  { ...code, repositoryUrl: "https://github.com/cairn-e2e/spikes" },
  { ...code, externalId: "hidden-code", name: "Hidden spike tools", privacy: "PRIVATE", repositoryUrl: "https://github.com/cairn-e2e/hidden" },
  { ...dataset("cortex", "Cortex recordings"), tags: ["md, namd"] },
  dataset("retina", "Retina recordings"),
  dataset("secret", "Secret recordings", "PRIVATE"),
  dataset("turning", "Turning recordings"),
];
const projects = [
  { externalId: "turning-project", name: "A look at turning recordings", datasets: ["cortex", "turning"] },
  { externalId: "steady-project", name: "A look at cortex", datasets: ["cortex"] },
];

/** A dataset of the researcher, as a line of the import format. */
export function dataset(externalId: string, name: string, privacy = "PUBLIC") {
  const datasetUrl = `https://example.org/${externalId}.h5`;
  return { kind: "resource", externalId, type: "DATASET", name, authors: [owner], privacy, datasetUrl };
}

/** The tests of a file share a server with these entries and projects, and a stand-in for GitHub with their repositories. */
export const test = base.extend<object, { cairn: CairnServer }>({
  cairn: [
    async ({ github }, use) => {
      await github.put({ name: "cairn-e2e/spikes", files: { "README.md": "# Spikes" } });
      const cairn = await github.startCairn();
      try {
        await cairn.import(
          ...parts.map((part) => ({ kind: "resource", description: "", tags: [], ...part })),
          ...projects.map((each) => ({ kind: "project", ownerId: owner, repository: "spikes-code", published: true, ...each })),
        );
        await use(cairn);
      } finally {
        await cairn.close();
      }
    },
    { scope: "worker" },
  ],
});

export { expect } from "@playwright/test";

/** Returns the id of the public entry with this name. */
export async function idOf(page: Page, name: string): Promise<string> {
  const answer = await page.request.get(`/api/v1/rf/resources/search?${new URLSearchParams({ name })}`);
  const found: { id: string; name: string }[] = await answer.json();
  const id = found.find((each) => each.name === name)?.id;
  if (id === undefined) throw new Error(`there is no public entry "${name}"`);
  return id;
}

/** A toast with this title and text. */
export function notice(page: Page, title: string, text: string) {
  const region = page.getByRole("region", { name: "Notifications" });
  return region.locator("div").filter({ has: page.getByText(title, { exact: true }) }).getByText(text, { exact: true });
}
