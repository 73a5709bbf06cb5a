import { fromHtmlIsomorphic } from "hast-util-from-html-isomorphic";
import katex from "katex";
import { mathFromMarkdown } from "mdast-util-math";
import { math } from "micromark-extension-math";
import { type HtmlNode, textOf } from "@/lib/markdownTree";

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

function readFormulas(this: { data: () => object }) {
  const data: ParserExtensions = this.data();
  data.micromarkExtensions = [...(data.micromarkExtensions ?? []), math()];
  data.fromMarkdownExtensions = [...(data.fromMarkdownExtensions ?? []), mathFromMarkdown()];
  return (tree: Node, file: { value: unknown }) => readBelow(tree, String(file.value));
}

function readBelow(node: Node, source: string): void {
  if (!node.children) return;
  node.children = node.children.map((child) => {
    if (child.type === "inlineMath") return inline(child, source);
    readBelow(child, source);
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
  const value = node.value?.replace(/^`([^`]+)`$/, "$1") ?? ""; // as on GitHub, where no character in it is Markdown
  const hProperties = { className: ["language-math", display ? "math-display" : "math-inline"] };
  return { ...node, data: { hName: "code", hProperties, hChildren: [{ type: "text", value }] } };
}

/** Replaces the code of formulas by MathML, wherever it comes from: dollars, or a fence of "math". */
function layOutFormulas() {
  return (tree: HtmlNode) => layOutBelow(tree);
}

function layOutBelow(node: HtmlNode): void {
  if (!node.children) return;
  node.children = node.children.map((child) => {
    const [only] = child.children ?? [];
    const fenced = child.tagName === "pre" && only && isFormula(only);
    if (fenced || isFormula(child)) return laidOut(child, fenced || classesOf(child).includes("math-display"));
    layOutBelow(child);
    return child;
  });
}

const classesOf = ({ properties }: HtmlNode): unknown[] =>
  Array.isArray(properties?.className) ? properties.className : [];
const isFormula = (node: HtmlNode) => node.tagName === "code" && classesOf(node).includes("language-math");

/** A formula as MathML; one with a mistake stays code, as it was written. */
function laidOut(node: HtmlNode, display: boolean): HtmlNode {
  try {
    const mathML = katex.renderToString(textOf(node), {
      displayMode: display,
      output: "mathml",
      strict: "ignore",
      trust: false, // no links, pictures and classes
      maxExpand: 100,
      maxSize: 20,
    });
    // Texts in it have no quotation marks, which KaTeX escapes. The page's policy forbids styles in HTML.
    const { children } = fromHtmlIsomorphic(mathML.replaceAll(/ style="[^"]*"/g, ""), { fragment: true });
    return { type: "element", tagName: display ? "div" : "span", properties: {}, children: children as HtmlNode[] };
  } catch {
    return node;
  }
}

/** Formulas become MathML that loads nothing and leads nowhere: one plugin reads them, the other lays them out. */
export const formulaPlugins = { remark: [readFormulas], rehype: [layOutFormulas] };
