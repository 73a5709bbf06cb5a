import { CairnServer } from "../support/server";
import { expect, test as base } from "../support/test";
import { entries, series } from "./entries";

/** The usual test function, on a server whose catalog also has the entries of these tests. */
export const test = base.extend<object, { cairn: CairnServer }>({
  cairn: [
    async ({}, use) => {
      const cairn = await CairnServer.start();
      try {
        await cairn.import(...entries);
        await expect.poll(() => total(cairn, `?tag=${series.tag}`)).toBe(series.count);
        await use(cairn);
      } finally {
        await cairn.close();
      }
    },
    { scope: "worker" },
  ],
});

/** Returns how many entries an anonymous search of the API finds. */
export async function total(cairn: CairnServer, query: string): Promise<number> {
  const answer = await fetch(`${cairn.url}/api/v1/rf/resources/public${query}`);
  return ((await answer.json()) as { totalElements: number }).totalElements;
}

export { expect } from "@playwright/test";
