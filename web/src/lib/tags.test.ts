import { expect, test } from "vitest";
import { joinTags, splitTags } from "./tags";

test.each([[["neuro", "md"]], [["md, namd", "v1"]], [["a\\b", "c\\,d", "\\", ","]], [["\u{1f9e0} über"]], [[]]])(
  "tags survive the list: %j",
  (tags) => {
    expect(splitTags(joinTags(tags))).toEqual(tags);
  },
);

test("a stray backslash, empty tags and doubles do no harm", () => {
  expect(splitTags("a\\,,b, ,a\\x,b")).toEqual(["a,", "b", "a\\x"]);
});
