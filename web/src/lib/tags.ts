/** A tag as written in a list of tags: a comma in it is `\,` and a backslash `\\`. */
export function escapeTag(tag: string): string {
  return tag.replace(/[\\,]/g, "\\$&");
}

/** Normalizes a text for searching: lower case, without diacritics. */
export function folded(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/\p{Mark}/gu, "")
    .toLowerCase();
}

const alphabet = new Intl.Collator("en");

/** Tags in the order of the alphabet. */
export function inOrder<Tag extends { value: string }>(tags: readonly Tag[]): Tag[] {
  return tags.toSorted((a, b) => alphabet.compare(a.value, b.value));
}

/** Tags as one comma list. */
export function joinTags(tags: string[]): string {
  return tags.map(escapeTag).join(",");
}

/** The tags of a comma list, each once. */
export function splitTags(list: string): string[] {
  const tags = [""];
  for (const [part] of list.matchAll(/\\[\\,]|./gsu)) {
    if (part === ",") tags.push("");
    else tags.push((tags.pop() ?? "") + (part.length === 2 && part.startsWith("\\") ? part.slice(1) : part));
  }
  return [...new Set(tags.filter((tag) => tag.trim() !== ""))];
}
