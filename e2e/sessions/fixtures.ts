import { CairnServer } from "../support/server";
import { test as base } from "../support/test";

/** The researcher's projects besides the demo's. Launches of those with something missing fail quickly. */
export const projects = {
  lost: "Needs a recording that is lost",
  second: "A second look at first steps",
  old: "An old idea",
} as const;

export const lostDataset = "Lost recording";

const owner = "researcher@example.org";
const repository = "demo-repository-first-steps";

const catalog = [
  {
    ...{ kind: "resource", externalId: "lost", type: "DATASET", name: lostDataset, datasetUrl: "lost-recording" },
    ...{ description: "It is not on this server.", authors: [owner], tags: [], privacy: "PUBLIC", headerImage: "" },
  },
  { kind: "project", externalId: "lost", name: projects.lost, ownerId: owner, repository, datasets: ["lost"] },
  { kind: "project", externalId: "second", name: projects.second, ownerId: owner, repository, datasets: [], published: true },
  { kind: "project", externalId: "old", name: projects.old, ownerId: owner, repository, datasets: [], published: true },
];

/** The session tests share a server with these projects; some of them kill and restart it. */
export const test = base.extend<object, { cairn: CairnServer }>({
  cairn: [
    async ({}, use) => {
      const cairn = await CairnServer.start();
      try {
        await cairn.import(...catalog);
        await use(cairn);
      } finally {
        await cairn.close();
      }
    },
    { scope: "worker" },
  ],
});

export { expect } from "@playwright/test";
