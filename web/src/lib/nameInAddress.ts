export interface PersonName {
  given: string;
  family: string;
}

/** Words that mark the address of a group. */
const roles = /^(admin|contact|data|group|help|hello|info|lab|list|mail|no|noreply|office|project|support|team)$/;
const particles = /^(af|al|bin|da|de|del|della|den|der|di|do|dos|du|el|la|le|van|von|zu|zum|zur)$/;

/**
 * Derives a person's name from an e-mail address, such as Jane Doe from jane.doe@example.org; undefined for addresses like
 * "jdoe" or "team", which are better cited unchanged.
 */
export function nameInAddress(email: string): PersonName | undefined {
  const [, local = ""] = /^([^@+]+)(?:\+[^@]*)?@/.exec(email) ?? [];
  // A hyphen joins the parts of one name, unless nothing else separates the names.
  const words = local.split(/[._]/.test(local) ? /[._]+/ : /-+/).map((word) => word.replace(/\d+$/, ""));
  const spelt = words.filter((word) => word !== "");
  const last = spelt.at(-1) ?? "";
  const isName = (word: string) => /^\p{L}[\p{L}\p{M}'’-]*$/u.test(word) && !roles.test(word);
  if (spelt.length < 2 || spelt.length > 5 || [...last].length < 2 || !spelt.every(isName)) return undefined;
  let begin = spelt.length - 1;
  while (begin > 1 && particles.test(spelt[begin - 1] ?? "")) begin -= 1;
  return {
    given: spelt.slice(0, begin).map(capital).join(" "),
    family: [...spelt.slice(begin, -1), capital(last)].join(" "),
  };
}

/** A part of a name as people write it; a single letter is an initial. */
function capital(word: string): string {
  const written = word.replace(
    /(^|['’-])(\p{L})/gu,
    (_, before: string, letter: string) => before + letter.toUpperCase(),
  );
  return [...written].length === 1 ? `${written}.` : written;
}

/** What a group or somebody is called whose address doesn't spell a name: "Lab" of lab@example.org. */
export function groupInAddress(email: string): string {
  const words = (email.split("@")[0] ?? "").split(/[._+-]+/).filter(Boolean);
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(" ") || "Unknown";
}

/** Divides a person's name: the family name is the last word with the particles before it, or what precedes a comma. */
export function nameParts(name: string): PersonName | { literal: string } {
  const [before = "", after] = name.split(", ", 2);
  if (after) return { given: after, family: before };
  const words = name.trim().split(/\s+/);
  if (words.length < 2) return { literal: name };
  let begin = words.length - 1;
  while (begin > 1 && particles.test(words[begin - 1] ?? "")) begin -= 1;
  return { given: words.slice(0, begin).join(" "), family: words.slice(begin).join(" ") };
}
