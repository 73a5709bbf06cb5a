import { expect, test } from "vitest";
import { ago, count, day } from "./format";

test("a day is written out, and what is no moment is left out", () => {
  expect(day("2025-08-04T12:00:00Z")).toBe("Aug 4, 2025");
  expect(day("soon")).toBe("");
});

test("how long ago something was is told in the largest unit that it fills", () => {
  const now = Date.parse("2026-11-21T12:00:00Z");
  const before = (seconds: number) => ago(new Date(now - 1000 * seconds).toISOString(), now);
  expect([-5, 59, 60, 3599, 3600, 86_399].map(before)).toEqual([
    ...["just now", "just now", "1 minute ago", "59 minutes ago", "1 hour ago", "23 hours ago"],
  ]);
  expect([1, 3, 7, 30, 364, 365, 800].map((days) => before(days * 86_400))).toEqual([
    ...["yesterday", "3 days ago", "last week", "last month", "12 months ago", "last year", "2 years ago"],
  ]);
  expect(ago("soon", now)).toBe("");
});

test("numbers come with the right noun", () => {
  expect(count(0, "result", "results")).toBe("0 results");
  expect(count(1, "result", "results")).toBe("1 result");
  expect(count(1284, "result", "results")).toBe("1,284 results");
});
