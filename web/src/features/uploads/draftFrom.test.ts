import { expect, test } from "vitest";
import { draftFrom } from "./draftFrom";

test("what files say comes first, then the name of their folder", () => {
  expect(draftFrom({ name: "Spikes", license: "MIT", doi: "" }, "data")).toEqual({ name: "Spikes", license: "MIT" });
  expect(draftFrom({}, "data")).toEqual({ name: "data" });
});
