import { expect, test } from "vitest";
import { datasetFolder, repositoryFolder } from "./folders";

test.each([
  ["https://github.com/owner/name.git", "work/name"],
  ["https://github.com/owner/name/", "work/name"],
  ["https://github.com/owner/data", "work/data-repository"],
  ["http://127.0.0.1:8080/demo/git/first-steps.git", "work/first-steps"],
  ["", "work/repository"],
])("the repository %j lies in %s", (address, folder) => {
  expect(repositoryFolder(address)).toBe(folder);
});

test.each([
  ["spikes", "work/data/spikes"],
  ["bundled:spikes", "work/data/spikes"],
  ["https://data.example.org/sets/a%20b?download=1#top", "work/data/a-b"],
  ["https://data.example.org/%E0%A4%A", "work/data/E0-A4-A"],
  ["../..", "work/data/dataset"],
])("the dataset %j lies in %s", (address, folder) => {
  expect(datasetFolder(address)).toBe(folder);
});
