/** A text as one word of a command: in quotes when a shell could take a part of it for something else. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./~-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
