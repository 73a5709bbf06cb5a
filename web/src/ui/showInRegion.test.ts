import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { regionNotice, showInRegion } from "./showInRegion";

const seen: string[] = [];
const region = (open: boolean) => ({
  matches: () => open,
  hidePopover: () => seen.push("hidden"),
  showPopover: () => seen.push("shown"),
});
const show = () => seen.push("text");

beforeEach(() => {
  seen.length = 0;
  vi.useFakeTimers();
  vi.stubGlobal("window", globalThis);
});
afterEach(() => vi.useRealTimers());

test.each([
  ["that is not shown yet", false, false],
  ["below a dialog", true, true],
])("a region %s is there before its text", (_, open, covered) => {
  showInRegion(region(open) as never, covered, show);
  vi.advanceTimersByTime(regionNotice - 1);
  expect(seen).toEqual(["hidden", "shown"]);
  vi.advanceTimersByTime(1);
  expect(seen).toEqual(["hidden", "shown", "text"]);
});

test("a region that was there gets its text at once, and stays", () => {
  showInRegion(region(true) as never, false, show);
  expect(seen).toEqual(["text"]);
});

test("what was stopped is not shown", () => {
  showInRegion(region(true) as never, true, show)();
  vi.runAllTimers();
  expect(seen).toEqual(["hidden", "shown"]);
});
