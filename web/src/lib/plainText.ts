/** Converts Markdown to one line of plain text, without link targets and emphasis, as the server does for cards. */
export function plainText(markdown: string, limit: number): string {
  const text = markdown
    .replace(/^[ \t]*\|.*/gm, (row) => (/[^-|:\s]/.test(row) ? row.replaceAll("|", " ") : ""))
    .replace(/!?\[([^[\]]*)\]\([^()]*\)/g, "$1")
    .replace(/\*\*|__|[`#*>]/g, "")
    .split(/\s+/)
    .filter(Boolean)
    .join(" ");
  return text.length <= limit ? text : `${text.slice(0, limit - 1)}…`;
}
