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

test.each([
  [0, "0 bytes"],
  [1, "1 byte"],
  [999, "999 bytes"],
  [1_000, "1 kB"],
  [1_234, "1.2 kB"],
  [225_194, "225 kB"],
  [6_249_000, "6.2 MB"],
  [20_000_000, "20 MB"],
])("%d bytes read as %s", (bytes, text) => {
  expect(fileSize(bytes)).toBe(text);
});
