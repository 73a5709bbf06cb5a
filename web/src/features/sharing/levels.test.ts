import { expect, test } from "vitest";
import { levelsAbove } from "./levels";

test("there is always more to ask for, except for owners and those who work in it", () => {
  expect(levelsAbove("see")).toEqual(["copy", "edit"]);
  expect(levelsAbove("copy")).toEqual(["edit"]);
  expect(levelsAbove("edit")).toEqual([]);
  expect(levelsAbove("owner")).toEqual([]);
});
