/** One line of plain text of a Markdown description: link targets and emphasis go, words stay. The server cuts cards alike. */
export function plainText(markdown: string, limit: number): string {
  const text = markdown
    .replace(/!?\[([^[\]]*)\]\([^()]*\)/g, "$1")
    .replace(/\*\*|__|[`#*>]/g, "")
    .split(/\s+/)
    .filter(Boolean)
    .join(" ");
  return text.length <= limit ? text : `${text.slice(0, limit - 1)}…`;
}
