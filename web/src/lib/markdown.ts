/** Thirty nested markers of quotations, list items or footnotes at the start of a line. */
const deep = /^(?:[ \t]*(?:>|(?:[-+*]|\d{1,9}[.)])(?=[ \t])|\[\^(?:[^\]\\]|\\.){1,999}\]:)){30}/;
const rule = /^[ \t]*([-*_])(?:[ \t]*\1)*[ \t]*$/;
/** Ends the previous paragraph. */
const fresh = /^[ \t]*$|^ {0,3}[-+*][ \t]+\S/;

/** The most characters in a paragraph that may open a link or emphasis. */
const signsLimit = 600;

/**
 * Reports whether a Markdown text can be parsed quickly. Thousands of nested markers in a line or paragraph would keep the
 * browser busy for minutes and then overflow its stack. People don't write such texts.
 */
export function canLayOut(markdown: string): boolean {
  let signs = 0;
  for (const line of markdown.split(/\r\n?|\n/)) {
    if (rule.test(line)) continue;
    if (fresh.test(line)) signs = 0;
    signs += line.match(/[*_~[]/g)?.length ?? 0;
    if (signs > signsLimit || deep.test(line)) return false;
  }
  return true;
}

/** Markdown syntax, anywhere or at the beginning of a line, and text that is linked automatically. */
const marks = /[*_`[\]<~|\\@]|&[#\w]|:\/\/|www\.|^[ \t]*(?:[-+=>#]|\d+[.)])|^(?: {4}| {0,3}\t)| {2}$/im;

const tag = /<[a-z!/?]/i;

/** Reports whether a text may have HTML. */
export const hasHtml = (text: string): boolean => tag.test(text);

/** The most dollars in a text whose formulas are laid out: a formula takes about a millisecond. */
const dollarsLimit = 1000;
const fence = /^[ \t>]*(?:`{3,}|~{3,})[ \t]*math[ \t]*$/im;
const formula = /\$\$|\$[^\s$](?:[^$\n]*[^\s$])?\$(?!\d)/;

/**
 * Reports whether a text has formulas, few enough to be laid out quickly: in fences of "math", or between dollars, which
 * aren't prices.
 */
export function hasFormulas(text: string): boolean {
  const dollars = text.split("$").length - 1;
  return dollars <= dollarsLimit && ((dollars > 1 && formula.test(text)) || fence.test(text));
}

/** Returns the paragraphs of a text without Markdown syntax and formulas; undefined if there may be some. */
export function plainParagraphs(text: string): string[] | undefined {
  if (marks.test(text) || hasFormulas(text)) return undefined;
  return text
    .split(/\r?\n(?:[ \t]*\r?\n)+/)
    .map((paragraph) => paragraph.trim().replace(/[ \t]*\r?\n[ \t]*/g, "\n"))
    .filter((paragraph) => paragraph !== "");
}
