import { expect, test } from "vitest";
import { Problem } from "@/api/problem";
import { retryDelay, worthRetrying } from "./queryClient";

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

const building = new Problem(503, "The search index is being built: 43 % of 1,000,000 entries are in it.", [], 2);

test("a search that is getting ready is asked for as often as the server says, until it is", () => {
  expect(worthRetrying(1000, building)).toBe(true);
  expect(retryDelay(1000, building)).toBe(2000);
});

test.each([
  [0, 1000],
  [1, 2000],
  [9, 30_000],
])("after %d failures the next try waits %d ms", (failures, delay) => {
  expect(retryDelay(failures, new Problem(503, "Busy.", [], 60))).toBe(delay);
});
