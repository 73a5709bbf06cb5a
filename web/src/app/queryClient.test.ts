import { expect, test } from "vitest";
import { Problem } from "@/api/problem";
import { worthRetrying } from "./queryClient";

test.each([
  [0, new Problem(0, ""), true],
  [1, new Problem(503, ""), true],
  [2, new Problem(503, ""), false],
  [0, new Problem(404, ""), false],
  [0, new Problem(401, ""), false],
  [0, new TypeError("a defect of the page"), false],
])("after %d failures %s", (failures, error, again) => {
  expect(worthRetrying(failures, error)).toBe(again);
});
