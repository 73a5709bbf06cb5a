import { readFileSync } from "node:fs";
import { createElement } from "react";
import { prerender } from "react-dom/static";
import { expect, test } from "vitest";
import { Markdown } from "./Markdown";

// The browser tests use these texts too.
const corpus = new URL("../../../e2e/resources/hostile-markdown.json", import.meta.url);
const hostile: string[] = JSON.parse(readFileSync(corpus, "utf8"));

async function render(text: string, picture?: (src: string) => string | undefined, html = false): Promise<string> {
  const { prelude } = await prerender(createElement(Markdown, { text, html, ...(picture && { picture }) }));
  return (await new Response(prelude).text()).replace(/<!--.*?-->|<link[^>]*>/g, "");
}

const elements =
  /^(div|p|h[3-6]|a|ul|ol|li|input|blockquote|pre|code|table|thead|tbody|tr|th|td|em|strong|del|br|hr|section|sup|span|math|semantics|annotation|mi|mn|mo|mrow|msup|msub|mfrac|mtext|mstyle|mspace|menclose|mpadded)$/;
const attributes =
  /^(class|dir|href|target|rel|start|type|checked|disabled|style|id|aria-label|aria-describedby|data-footnote\S*|xmlns|encoding|display|fence|stretchy|separator|symmetric|lspace|rspace|width|height|mathvariant|mathcolor|notation|displaystyle|scriptlevel|columnalign|columnspacing|rowspacing|accent|accentunder|linethickness|minsize|maxsize)$/;

// Also, in files.
const htmlElements = new RegExp(
  `${elements.source.slice(0, -2)}|abbr|b|bdo|caption|center|cite|dd|details|dfn|dl|dt|figcaption|figure|i|ins|kbd|mark|q|rp|rt|ruby|s|samp|small|strike|sub|summary|tfoot|time|tt|u|var|wbr)$`,
);
const htmlAttributes = new RegExp(
  `${attributes.source.slice(0, -2)}|align|colSpan|rowSpan|colspan|rowspan|lang|open|scope|title)$`,
);

/** Fails when a text became an element that Markdown doesn't have. */
async function expectHarmless(text: string, asHtml = false) {
  const html = await render(text, undefined, asHtml);
  for (const [, name = "", given = ""] of html.matchAll(/<([a-zA-Z][^\s/>]*)((?:\s+[^\s=>]+(?:="[^"]*")?)*)\s*\/?>/g)) {
    expect(name, text).toMatch(asHtml ? htmlElements : elements);
    for (const [, key = "", value = ""] of given.matchAll(/([^\s=]+)(?:="([^"]*)")?/g)) {
      expect(key, text).toMatch(asHtml ? htmlAttributes : attributes);
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
  await expectHarmless(text, true);
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
    const made = Array.from({ length: 1 + below(40) }, () => pieces[below(pieces.length)]).join("");
    await expectHarmless(made, round % 2 === 1);
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
  const { prelude } = await prerender(createElement(Markdown, { text, link, html: true }));
  const html = await new Response(prelude).text();
  const leads = [...html.matchAll(/<a href="#([^"]*)">/g)].map(([, name = ""]) => name);
  expect(leads).toEqual(targets.map((target) => `user-content-${decodeURIComponent(target)}`));
  for (const name of leads) expect(html).toMatch(new RegExp(`<h[3-6] id="${name}"`));
});

const words = (html: string) =>
  html
    .replace(/<br[^>]*>|<\/(?:p|h\d|summary|li|td|tr|div)>/g, " ")
    .replace(/<[^>]*>/g, "")
    .replace(/\s+/g, " ")
    .trim();

test.each([
  [
    "a title page",
    '<h1 align="center">Spike Tool</h1>\n\n<p align="center"><b>Sort spikes in three lines.</b><br>Free.</p>\n\n<details>\n<summary>Requirements</summary>\n\nPython 3.9.\n\n</details>\n',
    "Spike Tool Sort spikes in three lines. Free. Requirements Python 3.9.",
    ['<h3 id="user-content-spike-tool" align="center">', '<p align="center">', "<summary>Requirements</summary>"],
  ],
  [
    "a table and keys, beside comments",
    "<!-- a note for authors -->\n<table><tr><th>Key</th><td>Press <kbd>q</kbd>, H<sub>2</sub>O</td></tr></table>\n\na<br>b",
    "KeyPress q, H2O a b",
    ["<kbd>q</kbd>", "<sub>2</sub>", "<table>"],
  ],
  [
    "what docutils writes",
    '<div class="section" id="install-it">\n<h1>Install it</h1>\n<p>See <tt class="docutils literal">pip</tt>.</p>\n<dl class="docutils"><dt>x</dt><dd>A number.</dd></dl>\n</div>',
    "Install it See pip. xA number.",
    ['<div id="user-content-install-it">', "<tt>pip</tt>", "<dt>x</dt>"],
  ],
  [
    "what pandoc writes",
    '<figure>\n<img src="a.png" style="width:50.0%" alt="A" />\n<figcaption>A plot</figcaption>\n</figure>\n<p><span class="smallcaps">Note</span></p>\n<style>p{color:red}</style><script>window.taken = 1</script>',
    "Picture: A A plot Note",
    ["<figcaption>A plot</figcaption>"],
  ],
])("a file shows all words of %s", async (_, text, said, parts) => {
  const html = await render(text, undefined, true);
  expect(words(html)).toBe(said);
  for (const part of parts) expect(html).toContain(part);
  await expectHarmless(text, true);
});

test("links and pictures in HTML lead where those in Markdown do", async () => {
  const text =
    '<a name="top"></a>\n\n<p align="center"><a href="docs/"><img src="img/logo.png" width="200" onerror="x()"></a></p>\n\n<img src="b.png">\n\n[up](#top) <a href="#use-it">use</a> <a href="javascript:x()">no</a>\n\n<h2>Use it</h2>\n\n<a href="https://example.org"><img src="https://example.org/badge.png"></a>';
  const { prelude } = await prerender(
    createElement(Markdown, {
      text,
      html: true,
      link: (href) => `https://host.example/${href}`,
      picture: (src) => `/here?${src}`,
    }),
  );
  const html = await new Response(prelude).text();
  expect(html).toMatch(
    /<a href="https:\/\/host\.example\/docs\/"[^>]*><img src="\/here\?img\/logo\.png"[^>]* width="200"/,
  );
  expect(html).toMatch(/<a href="https:\/\/host\.example\/b\.png"[^>]*><img src="\/here\?b\.png"/);
  expect(html).toContain('<span id="user-content-top"></span>');
  expect(html).toContain('<a href="#user-content-top">up</a>');
  expect(html).toContain('<a href="#user-content-use-it">use</a>');
  expect(html).toContain('<h4 id="user-content-use-it">');
  expect(html).not.toMatch(/javascript|onerror|src="https:/);
  expect(html).not.toContain("/here?https");
});

test.each([
  ["> [!NOTE]\n> Read *this*.", "Note Read this."],
  ["> [!WARNING]\n>\n> Hot.", "Warning Hot."],
  ["> [!tip]  \n> Press `q`.\n>\n> Twice.", "Tip Press q. Twice."],
  ["> **First**\n> [!NOTE]", "First [!NOTE]"],
  ["> [!NOTE] beside it", "[!NOTE] beside it"],
  ["> [!OTHER]\n> x", "[!OTHER] x"],
])("the alert %j says what it is", async (text, said) => {
  const html = await render(text, undefined, true);
  expect(words(html)).toBe(said);
  expect(html.includes("<blockquote>")).toBe(said.includes("[!"));
});

test.each([
  ["```math\n\\frac{a}{b}\n```", 1, 'display="block"'],
  ["Where $`a_1`$ and $`b<c`$.", 2, "<mi>a</mi>"],
  ["<p>Let</p>\n\n$$\nx^2\n$$\n\n- $y$", 2, 'display="block"'],
  ["~~~ math\nx\n~~~", 1, 'display="block"'],
])("%j has formulas, as on GitHub", async (text, count, part) => {
  const html = await render(text, undefined, true);
  expect(html.match(formulas)).toHaveLength(count);
  expect(html).toContain(part);
  expect(html).not.toContain("`");
});

test.each(["<div>".repeat(5000), "<b><i>".repeat(10) + "<p>x\n\n".repeat(5000), "<p>".repeat(25_000)])(
  "a flood of elements is shown as text",
  async (text) => {
    const said = words(await render(text, undefined, true));
    expect(said.startsWith(text.slice(0, 3).replace("<", "&lt;").replace(">", "&gt;"))).toBe(true);
  },
);
