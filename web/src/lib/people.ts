/** One or two letters that represent a name or an e-mail address. */
export function initials(nameOrEmail: string): string {
  const words = (nameOrEmail.split("@")[0] ?? "").split(/[\s._+-]+/u).filter(Boolean);
  const letters = words.length > 1 ? [words[0], words.at(-1)] : [words[0]];
  return letters.map((word) => [...(word ?? "?")][0]?.toUpperCase() ?? "").join("");
}
