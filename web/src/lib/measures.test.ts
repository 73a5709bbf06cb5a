import { expect, test } from "vitest";
import { duration, fileSize, proportion } from "./measures";
import cases from "./rules.cases.json";

test.each([
  [0.2, "less than 1 s"],
  [1, "1 s"],
  [41.4, "41 s"],
  [119.4, "119 s"],
  [119.6, "2 min"],
  [7_000, "117 min"],
  [7_200, "2 h"],
])("%d seconds are %s", (seconds, text) => {
  expect(duration(seconds)).toBe(text);
});

test.each([
  [0, "0%"],
  [0.1234, "12%"],
  [1, "100%"],
  [2.5, "250%"],
  [0.0004, "0.04%"],
  [3.14e-9, "3.1e-9"],
])("the part %d is %s", (part, text) => {
  expect(proportion(part)).toBe(text);
});

test.each(cases.fileSize)("%d bytes are written %s", (size, text) => {
  expect(fileSize(Number(size))).toBe(text);
});
