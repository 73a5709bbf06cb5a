import { expect, type Locator, type Page } from "@playwright/test";
import { GitHub } from "../support/github";
import type { CairnServer } from "../support/server";
import { test as base } from "../support/test";

/** The usual test function, on a server that uses a stand-in for GitHub. */
export const test = base.extend<object, { github: GitHub; cairn: CairnServer }>({
  github: [
    async ({}, use) => {
      const github = await GitHub.start();
      await use(github);
      await github.close();
    },
    { scope: "worker" },
  ],
  cairn: [
    async ({ github }, use) => {
      const cairn = await github.startCairn();
      await use(cairn);
      await cairn.close();
    },
    { scope: "worker" },
  ],
});

/** A toast with this title or text. */
export function notice(page: Page, text: string | RegExp): Locator {
  return page.getByRole("region", { name: "Notifications" }).getByText(text, { exact: true });
}

/** Returns a descriptor; undefined fields are left out. */
export function descriptor(fields: {
  name?: string;
  description?: string;
  authors?: string[];
  tags?: string[];
  privacy?: string;
}): string {
  const lines = Object.entries(fields).map(([field, value]) => `  ${field}: ${JSON.stringify(value)}`);
  return `project:\n${lines.join("\n")}\n`;
}

export { expect };
