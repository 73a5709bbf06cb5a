import { expect, test } from "vitest";
import { folded, inOrder, joinTags, splitTags } from "./tags";

test.each([[["neuro", "md"]], [["md, namd", "v1"]], [["a\\b", "c\\,d", "\\", ","]], [["\u{1f9e0} über"]], [[]]])(
  "tags survive the list: %j",
  (tags) => {
    expect(splitTags(joinTags(tags))).toEqual(tags);
  },
);

test("a stray backslash, empty tags and doubles do no harm", () => {
  expect(splitTags("a\\,,b, ,a\\x,b")).toEqual(["a,", "b", "a\\x"]);
});

test("case and marks do not count in a search, and letters of any script stay", () => {
  expect(folded("ÉLECTRO-Physiologie")).toBe("electro-physiologie");
  expect(folded("Нейрон 神経")).toBe("неирон 神経");
});

test("tags are in the order of the alphabet, whatever their case", () => {
  const tags = ["zinc", "Éclair", "apple", "Zebra", "echo", "2D"].map((value) => ({ value }));
  expect(inOrder(tags).map(({ value }) => value)).toEqual(["2D", "apple", "echo", "Éclair", "Zebra", "zinc"]);
});
