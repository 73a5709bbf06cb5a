/** What opens a quotation, a list item or a footnote inside the one before it, thirty times from the start of a line. */
const deep = /^(?:[ \t]*(?:>|(?:[-+*]|\d{1,9}[.)])(?=[ \t])|\[\^(?:[^\]\\]|\\.){1,999}\]:)){30}/;
const rule = /^[ \t]*([-*_])(?:[ \t]*\1)*[ \t]*$/;
/** Ends the previous paragraph. */
const fresh = /^[ \t]*$|^ {0,3}[-+*][ \t]+\S/;

/** How many signs that may open a link or emphasis one paragraph may have. */
const signsLimit = 600;

/**
 * Tells whether a Markdown text can be laid out in no time. Of some thousand signs that nest, on a line or in a paragraph,
 * a browser would be busy for minutes, and then exceed its stack. People do not write such texts.
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

/** Characters with a meaning in Markdown, anywhere or at the beginning of a line, and texts that it links automatically. */
const marks = /[*_`[\]<~|\\@]|&[#\w]|:\/\/|www\.|^[ \t]*(?:[-+=>#]|\d+[.)])|^(?: {4}| {0,3}\t)| {2}$/im;

/** The paragraphs of a text that Markdown leaves as it is; undefined when it could mean something in it. */
export function plainParagraphs(text: string): string[] | undefined {
  if (marks.test(text)) return undefined;
  return text
    .split(/\r?\n(?:[ \t]*\r?\n)+/)
    .map((paragraph) => paragraph.trim().replace(/[ \t]*\r?\n[ \t]*/g, "\n"))
    .filter((paragraph) => paragraph !== "");
}
