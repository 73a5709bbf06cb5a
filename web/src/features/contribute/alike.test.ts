import { expect, test } from "vitest";
import type { Resource } from "@/api/types";
import { alikeAmong } from "./alike";

const entry = (id: string, name: string) => ({ id, name }) as Resource;

test("names that differ in case, marks, blanks and punctuation are alike", () => {
  const found = [
    entry("1", "Visual Cortex"),
    entry("2", "visual-cortex!"),
    entry("3", "Vísuál  Cörtex"),
    entry("4", "Visual Cortex 2"),
    entry("5", "Cortex, visual"),
  ];
  expect(alikeAmong(found, "Visual cortex").map(({ id }) => id)).toEqual(["1", "2", "3"]);
});

test("an entry isn't like itself", () => {
  expect(alikeAmong([entry("1", "Spikes"), entry("2", "spikes")], "Spikes", "1").map(({ id }) => id)).toEqual(["2"]);
});

test("names in other scripts are compared", () => {
  expect(
    alikeAmong([entry("1", "脳の画像"), entry("2", "脳の 画像"), entry("3", "心の画像")], "脳の画像"),
  ).toHaveLength(2);
});
