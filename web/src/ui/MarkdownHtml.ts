import type { Options } from "react-markdown";
import rehypeRaw from "rehype-raw";
import rehypeSanitize, { defaultSchema } from "rehype-sanitize";
import { type HtmlNode, textOf } from "@/lib/markdownTree";

const tagNames = defaultSchema.tagNames ?? [];
const attributes = defaultSchema.attributes ?? {};

/** The library's schema is GitHub's list. Sources of pictures are left out: the page chooses where these come from. */
const schema: typeof defaultSchema = {
  ...defaultSchema,
  tagNames: [
    ...tagNames.filter((name) => name !== "picture" && name !== "source"),
    ...["abbr", "bdo", "caption", "center", "cite", "dfn", "figcaption", "figure", "mark", "small", "time", "u", "wbr"],
  ],
  attributes: {
    a: attributes.a ?? [],
    code: [["className", /^language-./, "math-inline", "math-display"]],
    h2: attributes.h2 ?? [],
    img: ["src", "alt"],
    input: attributes.input ?? [],
    li: attributes.li ?? [],
    ol: attributes.ol ?? [],
    section: attributes.section ?? [],
    ul: attributes.ul ?? [],
    "*": [
      "align",
      "checked",
      "colSpan",
      "dir",
      "height",
      "id",
      "lang",
      "name",
      "open",
      "rowSpan",
      "scope",
      "start",
      "title",
      "width",
    ],
  },
  clobber: [], // headingPlaces renames what is left
  // With their content, which isn't text, or is for browsers that can't show them.
  strip: [
    "audio",
    "canvas",
    "iframe",
    "math",
    "noscript",
    "object",
    "script",
    "select",
    "style",
    "svg",
    "template",
    "textarea",
    "title",
    "video",
  ],
};

/** The most tags, and elements open at once, that a text may have. */
const limits = { tags: 20_000, open: 60, formats: 8 };
const tag = /<(\/?)([a-z][^\s/>]*)/gi;
const empty = /^(area|br|col|hr|img|input|source|wbr)$/;
const closedByItself = /^(p|li|d[td]|t[rdh]|tbody|thead|tfoot)$/;
/** Elements that are opened again in each block behind them until they are closed. */
const format = /^(a|b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u)$/;

function isFlood(html: string): boolean {
  const open = new Map<string, number>();
  let [tags, depth, formats] = [0, 0, 0];
  for (const [, end, written = ""] of html.matchAll(tag)) {
    const name = written.toLowerCase();
    const before = open.get(name) ?? 0;
    const step = end ? -1 : 1;
    tags += 1;
    if (empty.test(name) || (end && before === 0)) continue;
    open.set(name, before + step);
    if (format.test(name)) formats += step;
    else if (!closedByItself.test(name)) depth += step;
    if (tags > limits.tags || depth > limits.open || formats > limits.formats) return true;
  }
  return tags > limits.tags;
}

/** HTML that would keep the browser busy is shown as text. */
function refuseFloods() {
  return (tree: HtmlNode) => {
    const found: HtmlNode[] = [];
    const visit = (node: HtmlNode) => {
      if (node.type === "raw") found.push(node);
      node.children?.forEach(visit);
    };
    visit(tree);
    if (isFlood(found.map(textOf).join("\n"))) for (const node of found) node.type = "text";
  };
}

/** HTML in Markdown becomes the elements that GitHub shows; all others, and their scripts, are removed. */
export const htmlPlugins: Options["rehypePlugins"] & object = [refuseFloods, rehypeRaw, [rehypeSanitize, schema]];
