import { type BrowserContext, expect, type FrameLocator, type Locator, type Page } from "@playwright/test";
import { expectAccessible } from "../support/accessible";
import { CairnServer } from "../support/server";
import { test as base } from "../support/test";
import { RawFiles, readFrame } from "./source";

/** The usual test function, on a server for which `github` serves GitHub's raw files. */
export const test = base.extend<object, { github: RawFiles; cairn: CairnServer }>({
  github: [
    async ({}, use) => {
      const github = await new RawFiles().open();
      await use(github);
      await github.close();
    },
    { scope: "worker" },
  ],
  cairn: [
    async ({ github }, use) => {
      const environment = { CAIRN_CODEHOST_GITHUB_RAW_URL: github.url, CAIRN_OUTGOING_ALLOW: "127.0.0.1/32" };
      const cairn = await CairnServer.start({ environment });
      await use(cairn);
      await cairn.close();
    },
    { scope: "worker" },
  ],
});

/** An entry for a notebook in the import format; its name is also its id. */
export function entry(name: string, notebookPath: string, rest: object = {}): object {
  return {
    ...{ kind: "resource", externalId: name, type: "NOTEBOOK", name, notebookPath, description: "", tags: [] },
    ...{ authors: ["maker@example.org"], privacy: "PUBLIC", headerImage: "", ...rest },
  };
}

/** Waits until the server knows the notebook of a name, and returns its id. */
export async function idOf(cairn: CairnServer, name: string): Promise<string> {
  const query = new URLSearchParams({ type: "NOTEBOOK", nameSearch: `"${name}"` });
  let id: string | undefined;
  await expect
    .poll(async () => {
      const answer = await fetch(`${cairn.url}/api/v1/rf/resources/public?${query}`);
      const { content } = (await answer.json()) as { content: { id: string; name: string }[] };
      id = content.find((found) => found.name === name)?.id;
      return id;
    }, `the entry ${name}`)
    .toBeDefined();
  return id ?? "";
}

/** Returns the address of a notebook's frame for an anonymous visitor. */
export async function frameAddress(cairn: CairnServer, id: string): Promise<string> {
  const answer = await fetch(`${cairn.url}/api/v1/rf/resources/public/${id}`);
  return ((await answer.json()) as { notebookFrameUrl: string }).notebookFrameUrl;
}

/** The notebook's section on a detail page, its frame, and the frame's content. */
export function view(page: Page): { section: Locator; frame: Locator; inside: FrameLocator } {
  const section = page.getByRole("region", { name: "Notebook", exact: true });
  const frame = section.locator("iframe");
  return { section, frame, inside: frame.contentFrame() };
}

/** Fails on serious accessibility violations in a frame's document, opened without its policy so that axe can run. */
export async function expectAccessibleFrame(context: BrowserContext, address: string): Promise<void> {
  const copy = await context.newPage();
  await copy.setContent((await readFrame(address)).body);
  await expectAccessible(copy);
  await copy.close();
}

export { expect };
