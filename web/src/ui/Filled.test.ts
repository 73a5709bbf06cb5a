import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { Filled } from "./Filled";

test("puts elements where a sentence names them, and leaves braces of their texts alone", () => {
  const text = "Nothing matched “{text}”. Showing results for {words}.";
  const values = { text: "a{words}b", words: createElement("strong", undefined, "ab") };
  expect(renderToStaticMarkup(createElement(Filled, { text, values }))).toBe(
    "Nothing matched “a{words}b”. Showing results for <strong>ab</strong>.",
  );
});
