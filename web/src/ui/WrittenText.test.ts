import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { plainParagraphs } from "@/lib/markdown";
import { Markdown } from "./Markdown";
import { WrittenText } from "./WrittenText";

const markdown = (text: string) =>
  renderToStaticMarkup(createElement(Markdown, { text })).replace(/\r\n?/g, "\n").replaceAll(">\n<", "><");

test.each([
  "One sentence.",
  'Two lines\nof one paragraph, R & D; it\'s 5 (or 6) x 7 = 42 - "done"!',
  "  Three spaces at most.\n\n\n   A second paragraph, \n with a space at the end of a line\r\n\r\nA third.\n",
  "Ünïcödé · 神経 · عربي\n\n100 % of #2",
])("%j is the same without Markdown's script", (text) => {
  expect(plainParagraphs(text)).toBeDefined();
  expect(renderToStaticMarkup(createElement(WrittenText, { text }))).toBe(markdown(text));
});

test("whatever has no sign of Markdown is the same without its script, and most signs are seen", () => {
  const pieces = [
    ..."ab 1.)-+=>#*_`[]<~|\\@&;:/!\n\n\n\t  ",
    "www.",
    "http://x.y",
    "    ",
    "  \n",
    "1. ",
    "&amp;",
    "---",
    "\n#",
    "\r\n",
  ];
  let state = 11;
  const below = (limit: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
  let plain = 0;
  for (let round = 0; round < 4000; round += 1) {
    const text = Array.from({ length: 1 + below(12) }, () => pieces[below(pieces.length)]).join("");
    if (!plainParagraphs(text)) continue;
    plain += 1;
    expect(renderToStaticMarkup(createElement(WrittenText, { text })), JSON.stringify(text)).toBe(markdown(text));
  }
  expect(plain).toBeGreaterThan(200);
});

test.each([
  "**bold**",
  "# Heading",
  "a\n- item",
  "1. one",
  "see https://example.org",
  "www.example.org",
  "a@b.org",
  "a  \nb",
  "a\n---",
])("%j is laid out", (text) => expect(plainParagraphs(text)).toBeUndefined());
