import { expect, test } from "vitest";
import { toldIn } from "./notebookHeight";

const frame = {} as Window;
const other = {} as Window;

test("the frame's own window tells the height, and where a heading is", () => {
  expect(toldIn({ source: frame, data: 1234 }, frame)).toEqual({ height: 1234 });
  expect(toldIn({ source: frame, data: 200_000 }, frame)).toEqual({ height: 200_000 });
  expect(toldIn({ source: frame, data: { top: 12.5 } }, frame)).toEqual({ top: 12.5 });
  expect(toldIn({ source: frame, data: { printed: 4321 } }, frame)).toEqual({ printed: 4321 });
});

test("other windows, and messages of none, tell nothing", () => {
  expect(toldIn({ source: other, data: 1234 }, frame)).toEqual({});
  expect(toldIn({ source: other, data: { top: 1234 } }, frame)).toEqual({});
  expect(toldIn({ source: null, data: 1234 }, null)).toEqual({});
  expect(toldIn({ source: null, data: 1234 }, undefined)).toEqual({});
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
])("%s is no length", (data) => {
  expect(toldIn({ source: frame, data }, frame)).toEqual({});
  expect(toldIn({ source: frame, data: { top: data } }, frame)).toEqual({});
  expect(toldIn({ source: frame, data: { printed: data } }, frame)).toEqual({});
});
