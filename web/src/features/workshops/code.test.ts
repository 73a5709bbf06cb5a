import { expect, test, vi } from "vitest";
import { codeFromLink, forgetCode, isWhole, normalizeCode } from "./code";

test.each([
  ["amber river stone wolf", "amber river stone wolf"],
  ["Amber-River-Stone-Wolf", "amber river stone wolf"],
  ["  AMBER   river\u00a0stone – wolf. ", "amber river stone wolf"],
  ["amber_river,stone/wolf", "amber river stone wolf"],
  ["ａｍｂｅｒ river", "amber river"],
  ["", ""],
  [" - ", ""],
])("%j", (typed, code) => {
  expect(normalizeCode(typed)).toBe(code);
});

test("a code has as many letters as four short words", () => {
  expect(isWhole("amber-river-stone-wolf")).toBe(true);
  expect(isWhole("acid yo-yo ant bud")).toBe(true);
  expect(isWhole("AmberRiverStoneWolf")).toBe(true);
  expect(isWhole("amber river")).toBe(false);
  expect(isWhole("")).toBe(false);
});

test("the code of a link waits in this tab until it has led to a seat", () => {
  const store: Record<string, string> = { "/join/k7": "#amber-river-stone-wolf", "/join/k8": "#%" };
  const getItem = (name: string) => store[name] ?? null;
  expect(codeFromLink("k7", { getItem })).toBe("amber river stone wolf");
  expect(codeFromLink("k8", { getItem })).toBe("");
  expect(codeFromLink("k9", { getItem })).toBe("");
  const removeItem = vi.fn();
  forgetCode("k7", { removeItem });
  expect(removeItem.mock.calls).toEqual([["/join/k7"]]);
});
