import { fromHtmlIsomorphic } from "hast-util-from-html-isomorphic";
import katex from "katex";
import { mathFromMarkdown } from "mdast-util-math";
import { math } from "micromark-extension-math";
import type { Options } from "react-markdown";

/** A node of a Markdown tree, as much of it as formulas need. */
interface Node {
  type: string;
  value?: string;
  children?: Node[];
  data?: object;
  position?: { start: { offset?: number }; end: { offset?: number } };
}

/** The part of a processor's data that its parser reads. */
interface ParserExtensions {
  micromarkExtensions?: unknown[];
  fromMarkdownExtensions?: unknown[];
}

function layOutFormulas(this: { data: () => object }) {
  const data: ParserExtensions = this.data();
  data.micromarkExtensions = [...(data.micromarkExtensions ?? []), math()];
  data.fromMarkdownExtensions = [...(data.fromMarkdownExtensions ?? []), mathFromMarkdown()];
  return (tree: Node, file: { value: unknown }) => layOutBelow(tree, String(file.value));
}

function layOutBelow(node: Node, source: string): void {
  if (!node.children) return;
  node.children = node.children.map((child) => {
    if (child.type === "inlineMath") return inline(child, source);
    if (child.type === "math") return laidOut(child, true);
    layOutBelow(child, source);
    return child;
  });
}

/** The words between two prices. */
const joiningWord = /[ ,](?:and|or|to|for|per|from|with|is|was|are|of|in|at|vs|but|the)(?:[ ,.]|$)/i;

/**
 * Reports whether what looks like a formula between single dollars is text with prices, by the rule for notebooks: a space
 * inside a dollar, a digit behind the last one, or a number with words.
 */
function isMoney(source: string, next: string): boolean {
  return (
    /^\s|\s$/.test(source) ||
    /\d/.test(next) ||
    (/^\d/.test(source) && joiningWord.test(source) && !/[\\^_={}]/.test(source))
  );
}

/** The parser takes any two dollars for a formula, so prices become text again. */
function inline(node: Node, source: string): Node {
  const end = node.position?.end.offset ?? 0;
  const written = source.slice(node.position?.start.offset ?? 0, end);
  const display = written.startsWith("$$");
  if (!display && isMoney(written.slice(1, -1), source.charAt(end))) return { type: "text", value: written };
  return laidOut(node, display);
}

/** A formula as MathML; one with a mistake stays code, as it was written. */
function laidOut(node: Node, display: boolean): Node {
  try {
    const mathML = katex.renderToString(node.value ?? "", {
      displayMode: display,
      output: "mathml",
      strict: "ignore",
      trust: false, // no links, pictures and classes
      maxExpand: 100,
      maxSize: 20,
    });
    // Texts in it have no quotation marks, which KaTeX escapes. The page's policy forbids styles in HTML.
    const { children } = fromHtmlIsomorphic(mathML.replaceAll(/ style="[^"]*"/g, ""), { fragment: true });
    return { ...node, data: { hName: display ? "div" : "span", hChildren: children } };
  } catch {
    return node;
  }
}

/** Formulas between dollars become MathML that loads nothing and leads nowhere. */
export const formulaPlugins: Options["remarkPlugins"] & object = [layOutFormulas];
