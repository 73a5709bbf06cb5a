import { expect, test } from "vitest";
import { keptVersion } from "./keptFiles";

const id = "01900000-0000-7000-8000-000000000000";

test("files that this server keeps are told from those elsewhere", () => {
  expect(keptVersion({ datasetUrl: `kept:${id}/v3` })).toBe(3);
  expect(keptVersion({ notebookSource: `kept:${id}/v12/a/b.ipynb` })).toBe(12);
  expect(keptVersion({ repositoryUrl: `https://catalog.example/kept/${id}/v2/spikes.git` })).toBe(2);
  expect(keptVersion({ repositoryUrl: `https://catalog.example/a/kept/${id}/v2/spikes.git` })).toBeUndefined();
  expect(keptVersion({ repositoryUrl: "https://github.com/kept/spikes" })).toBeUndefined();
  expect(keptVersion({ datasetUrl: "bundled:spikes" })).toBeUndefined();
  expect(keptVersion({})).toBeUndefined();
});
