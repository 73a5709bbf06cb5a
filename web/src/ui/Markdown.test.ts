import { readFileSync } from "node:fs";
import { createElement } from "react";
import { prerender } from "react-dom/static";
import { expect, test } from "vitest";
import { Markdown } from "./Markdown";

// The browser tests use these texts too.
const corpus = new URL("../../../e2e/resources/hostile-markdown.json", import.meta.url);
const hostile: string[] = JSON.parse(readFileSync(corpus, "utf8"));

async function render(text: string, picture?: (src: string) => string | undefined): Promise<string> {
  const { prelude } = await prerender(createElement(Markdown, { text, ...(picture && { picture }) }));
  return (await new Response(prelude).text()).replace(/<!--.*?-->|<link[^>]*>/g, "");
}

const elements =
  /^(div|p|h[3-6]|a|ul|ol|li|input|blockquote|pre|code|table|thead|tbody|tr|th|td|em|strong|del|br|hr|section|sup|span|math|semantics|annotation|mi|mn|mo|mrow|msup|msub|mfrac|mtext|mstyle|mspace|menclose|mpadded)$/;
const attributes =
  /^(class|dir|href|target|rel|start|type|checked|disabled|style|id|aria-label|aria-describedby|data-footnote\S*|xmlns|encoding|display|fence|stretchy|separator|symmetric|lspace|rspace|width|height|mathvariant|mathcolor|notation|displaystyle|scriptlevel|columnalign|columnspacing|rowspacing|accent|accentunder|linethickness|minsize|maxsize)$/;

/** Fails when a text became an element that Markdown doesn't have. */
async function expectHarmless(text: string) {
  const html = await render(text);
  for (const [, name = "", given = ""] of html.matchAll(/<([a-zA-Z][^\s/>]*)((?:\s+[^\s=>]+(?:="[^"]*")?)*)\s*\/?>/g)) {
    expect(name, text).toMatch(elements);
    for (const [, key = "", value = ""] of given.matchAll(/([^\s=]+)(?:="([^"]*)")?/g)) {
      expect(key, text).toMatch(attributes);
      if (key === "href") expect(value, text).toMatch(/^(https?:|mailto:|xmpp:|ircs?:|#|[^:]*$|[^:]*[/?#])/i);
      if (key === "style") expect(value, text).toMatch(/^text-align:\w+$/);
      if (key === "id") expect(value, text).toMatch(/^(user-content-|footnote-label)/);
    }
  }
  // Whatever else looks like an element is text.
  expect(html.replace(/<\/?[a-zA-Z][^<>]*>/g, ""), text).not.toContain("<");
}

test.each(hostile.map((text) => [text.slice(0, 60), text]))("%j stays harmless", async (_, text) => {
  await expectHarmless(text);
});

/** The same numbers in every run. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

test("whatever is made of the pieces of hostile texts stays harmless", async () => {
  const pieces = hostile.flatMap((text) => text.slice(0, 300).match(/[a-z]+:?|\s+|[^a-z\s]/gi) ?? []);
  const below = random(7);
  for (let round = 0; round < 400; round += 1) {
    await expectHarmless(Array.from({ length: 1 + below(40) }, () => pieces[below(pieces.length)]).join(""));
  }
});

test("Markdown becomes what it means, below the headings of the page", async () => {
  const html = await render(
    "# One\n\n**bold** [a](https://example.org) `c`\n\n| x |\n|:-:|\n| 1 |\n\n- [x] done\n\n![p](https://example.org/p.png)",
  );
  for (const part of [
    '<h3 id="user-content-one">One</h3>',
    "<strong>bold</strong>",
    "<code>c</code>",
    "<table>",
    'type="checkbox"',
  ])
    expect(html).toContain(part);
  expect(html).toContain('<a href="https://example.org" target="_blank" rel="noopener noreferrer nofollow ugc">a</a>');
  expect(html).toContain(
    '<a href="https://example.org/p.png" target="_blank" rel="noopener noreferrer nofollow ugc">Picture: p</a>',
  );
});

test("pictures that stand by themselves are shown from this server, and others are links", async () => {
  const html = await render(
    "![a](https://example.org/a.png)\n![](b.png)\n\nText ![c](https://example.org/c.png)\n\n[![d](https://example.org/d.png)](https://example.org)",
    (src) => (src.startsWith("https:") ? `/here?${src}` : undefined),
  );
  expect(html.match(/<img[^>]*src="[^"]*"/g)?.map((image) => image.replace(/.*src=/, ""))).toEqual([
    '"/here?https://example.org/a.png"',
  ]);
  expect(html).toMatch(/<a href="https:\/\/example.org\/a.png"[^>]*><img[^>]* alt="a"/);
  expect(html).toMatch(/<a href="b.png"[^>]*>Picture<\/a>/);
  expect(html).toContain("Text <a ");
  expect(html).toContain("Picture: d");
});

test("notes of a text lead to each other, in the same tab", async () => {
  const html = await render("Text[^1]\n\n[^1]: A note.");
  expect(html).toMatch(/<a href="#user-content-fn-1" id="user-content-fnref-1"[^>]*>1<\/a>/);
  expect(html).toContain('href="#user-content-fnref-1"');
  expect(html).not.toContain("_blank");
});

// CVE-2026-54338 and the like: a text within the size limit kept the browser busy for minutes.
test.each([
  ">".repeat(19_999),
  `${"- ".repeat(9990)}x`,
  `${"![".repeat(3000)}a${"](b)".repeat(3000)}`,
  "*a ".repeat(3300) + " b*".repeat(3300),
])("a flood of signs is shown as it was written", async (text) => {
  expect((await render(text)).match(/<[a-z]+/g)).toEqual(["<p"]);
});

const formulas = /<math[^>]*>/g;

test("formulas become MathML, and prices stay text", async () => {
  const html = await render("Where $x^2$ costs $5 and $6, or $7-$8 and `$y$`:\n\n$$\n\\int_0^1 f\n$$\n\n5$ or 6$.");
  expect(html.match(formulas)).toHaveLength(2);
  expect(html).toContain("<msup><mi>x</mi><mn>2</mn></msup>");
  expect(html).toContain('display="block"');
  for (const part of ["costs $5 and $6, or $7-$8 and", "<code>$y$</code>", "5$ or 6$."]) expect(html).toContain(part);
});

test("a formula can't load anything, and one with a mistake is shown as written", async () => {
  const html = await render(
    "$\\href{https://example.org}{a}$ $\\includegraphics{https://example.org/a.png}$ $\\htmlClass{c}{a}$ $\\frac{1$",
  );
  expect(html).not.toMatch(/<(?:a|img)\b|(?:href|src|class="c")=/);
  expect(html).toContain("\\frac{1");
});

test("a flood of dollars is shown as it was written", async () => {
  expect((await render("$a$ ".repeat(5000))).match(formulas)).toBeNull();
});

test.each([
  ["# Tool\n\n- [Install](#install)\n- [Use it](#use-it)\n\n## Install\n\ntext\n\n## Use it", ["install", "use-it"]],
  [
    "[a](#What's-new-in-1.2?) [b](#whats-new-in-12)\n\n## What's *new* in `1.2`?",
    ["whats-new-in-12", "whats-new-in-12"],
  ],
  ["[a](#mod%C3%A8le) [b](#modèle-1)\n\n# Modèle\n\n# Modèle", ["mod%C3%A8le", "mod%C3%A8le-1"]],
])("links of %j lead to its headings", async (text, targets) => {
  const link = (href: string) => `https://example.org/${href}`;
  const { prelude } = await prerender(createElement(Markdown, { text, link, withoutHtml: true }));
  const html = await new Response(prelude).text();
  const leads = [...html.matchAll(/<a href="#([^"]*)">/g)].map(([, name = ""]) => name);
  expect(leads).toEqual(targets.map((target) => `user-content-${decodeURIComponent(target)}`));
  for (const name of leads) expect(html).toMatch(new RegExp(`<h[3-6] id="${name}"`));
});
