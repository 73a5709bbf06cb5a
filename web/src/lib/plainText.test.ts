import { expect, test } from "vitest";
import { plainText } from "./plainText";

test.each([
  [
    "# Title\n\nSome **bold** and `code`,\n> a [link](https://example.org) ![picture](x.png)",
    "Title Some bold and code, a link picture",
  ],
  ["a_b __c__ * d", "a_b c d"],
  ["<b>text</b>", "<btext</b"],
  ["Units\n\n| a | b |\n|---|:-:|\n| 1 |\n\nx || y", "Units a b 1 x || y"],
  ["", ""],
])("%j", (markdown, text) => {
  expect(plainText(markdown, 280)).toBe(text);
});

test("a long text is cut", () => {
  expect(plainText("word ".repeat(100), 20)).toBe("word word word word…");
});
