import { expect, test } from "vitest";
import { canLayOut, hasFormulas, plainParagraphs } from "./markdown";

const lines = (count: number, line: string) => Array.from({ length: count }, () => line).join("\n");

test.each([
  ["nothing", ""],
  [
    "rules",
    "* * * * * * * * * * * * * * * * * * * * * * * * * * * * * * * * *\n\n---\n\n- - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - -",
  ],
  ["a long list of links", lines(250, "- [a *title* of some_thing](https://example.org/a_b)")],
  ["a long table", lines(140, "| `a_b` | [c](https://example.org) | *d* |")],
  ["a long program", `text\n\n~~~python\n${lines(15, `${lines(15, "a[b] = d_e ** f")}\n`)}\n~~~\n\ntext`],
  ["quotations of quotations", `${">".repeat(20)} x`],
  ["many paragraphs", lines(700, "some *words* with [a link](https://example.org)\n")],
])("%s can be laid out", (_, text) => {
  expect(canLayOut(text)).toBe(true);
});

test.each([
  ["quotations", ">".repeat(19_999)],
  ["quotations behind words", `x\n\n- y\n  ${"> ".repeat(5000)}x`],
  ["lists", `${"- ".repeat(9000)}x`],
  ["numbered lists", `${"1. ".repeat(6000)}x`],
  ["footnotes between quotations", `${">".repeat(20)}[^a\\]]: `.repeat(700)],
  ["emphasis", "*a ".repeat(3300) + " b*".repeat(3300)],
  ["emphasis over lines", `${lines(1200, "**a")}\n${lines(1200, "b**")}`],
  ["links", `${"[".repeat(9000)}a${"]".repeat(9000)}`],
  ["pictures", `${"![".repeat(3000)}a${"](b)".repeat(3000)}`],
  ["crossed out", "~~a ".repeat(2500) + "b~~ ".repeat(2500)],
])("thousands of %s are not", (_, text) => {
  expect(canLayOut(text)).toBe(false);
});

test.each([
  ["$x$", true],
  ["a $\\alpha_1$, b", true],
  ["$$\nx\n$$", true],
  ["$5 and $6", false],
  ["$5-$10", false],
  ["5 $", false],
  ["$a\n\nb$", false],
])("%j has formulas: %s", (text, expected) => {
  expect(hasFormulas(text)).toBe(expected);
  expect(plainParagraphs(text) === undefined).toBe(expected);
});
