import { expect, test } from "vitest";
import { heightIn } from "./notebookHeight";

const frame = {} as Window;
const other = {} as Window;

test("the frame's own window tells the height", () => {
  expect(heightIn({ source: frame, data: 1234 }, frame)).toBe(1234);
  expect(heightIn({ source: frame, data: 200_000 }, frame)).toBe(200_000);
});

test("other windows, and messages of none, tell nothing", () => {
  expect(heightIn({ source: other, data: 1234 }, frame)).toBeUndefined();
  expect(heightIn({ source: null, data: 1234 }, null)).toBeUndefined();
  expect(heightIn({ source: null, data: 1234 }, undefined)).toBeUndefined();
});

test.each([
  0,
  -1,
  200_001,
  Infinity,
  NaN,
  "1234",
  "1e9",
  [1234],
  { valueOf: () => 1234 },
  1234n,
  true,
  null,
  undefined,
])("%s is no height", (data) => expect(heightIn({ source: frame, data }, frame)).toBeUndefined());
