import { expect, test } from "vitest";
import type { Resource } from "@/api/types";
import { badgeText } from "./ShareResource";

test.each<[Partial<Resource>, string]>([
  [{ type: "REPOSITORY", runnable: true }, "Last run of Spikes on Cairn"],
  [{ type: "NOTEBOOK", runnable: true }, "Last run of Spikes on Cairn"],
  [{ type: "DATASET", runnable: true }, "Run Spikes on Cairn"],
  [{ type: "NOTEBOOK", runnable: false }, "Spikes on Cairn"],
  [{ type: "MODEL" }, "Spikes on Cairn"],
])("the badge of %j is %s", (entry, words) => {
  expect(badgeText({ ...entry, name: "Spikes" } as Resource, "Cairn")).toBe(words);
});
