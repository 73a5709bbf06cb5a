import { expect, test } from "vitest";
import { count, day, fileSize } from "./format";

test("a day is written out, and what is no moment is left out", () => {
  expect(day("2025-08-04T12:00:00Z")).toBe("Aug 4, 2025");
  expect(day("soon")).toBe("");
});

test("numbers come with the right noun", () => {
  expect(count(0, "result", "results")).toBe("0 results");
  expect(count(1, "result", "results")).toBe("1 result");
  expect(count(1284, "result", "results")).toBe("1,284 results");
});

test("sizes come with the unit that fits", () => {
  expect([0, 1, 999, 1000, 37_617, 5_368_709_120, 2e18].map(fileSize)).toEqual([
    ...["0 bytes", "1 byte", "999 bytes", "1 kB", "37.6 kB", "5.4 GB", "2,000 PB"],
  ]);
});
