import { expect, it } from "vitest";
import { ahead, undeleteEnd } from "./moments";

const now = Date.UTC(2026, 10, 21, 12, 0, 0);
const later = (seconds: number) => new Date(now + seconds * 1000).toISOString();

it.each([
  [-3600, "within a minute"],
  [59, "within a minute"],
  [60, "in 1 minute"],
  [3599, "in 59 minutes"],
  [7199, "in 119 minutes"],
  [7200, "in 2 hours"],
  [2 * 86_400 - 1, "in 47 hours"],
])("%d s ahead is %s", (seconds, text) => {
  expect(ahead(later(seconds), now)).toBe(text);
});

it("names the day when it is far", () => {
  expect(ahead(later(12 * 86_400), now)).toMatch(/^on .*2026/);
});

it("names the day until which something can be undeleted, unless that is forever", () => {
  expect(undeleteEnd(14 * 86_400, now)).toBe("Dec 5, 2026");
  expect(undeleteEnd(undefined, now)).toBeUndefined();
});
