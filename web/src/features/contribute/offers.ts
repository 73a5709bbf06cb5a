import type { Found } from "@/api/types";
import type { Award, CreditedPerson, EntryDraft, RelatedIdentifier } from "./entryDraft";

/** The fields for which others may say something. */
export type OfferedField =
  | "name"
  | "description"
  | "tags"
  | "version"
  | "doi"
  | "license"
  | "language"
  | "people"
  | "funding"
  | "relatedIdentifiers";

export interface Offer {
  source: string;
  /** What is offered, in one line. */
  text: string;
  /** The draft with it. */
  part: Partial<EntryDraft>;
}

const longestText = 200;

/** What others say about a work beyond its draft, by field. Lists are completed, never replaced. */
export function offersOf(found: Found, draft: EntryDraft): Partial<Record<OfferedField, Offer>> {
  const offers: Partial<Record<OfferedField, Offer>> = {};
  const offer = (field: OfferedField, text: string, value: unknown) => {
    const source = found.from[field];
    if (source !== undefined) offers[field] = { source, text: shortened(text), part: { [field]: value } };
  };
  // An entry's own words: a repository's title isn't better than the name that somebody gave a notebook.
  for (const field of ["name", "description"] as const) {
    const text = found[field];
    if (text && draft[field].trim() === "") offer(field, text, text);
  }
  for (const field of ["version", "doi", "license", "language"] as const) {
    const text = found[field];
    if (text && text.toLowerCase() !== draft[field].trim().toLowerCase()) offer(field, text, text);
  }
  const tags = (found.tags ?? []).filter((tag) => !draft.tags.includes(tag));
  if (tags.length > 0) offer("tags", tags.join(", "), [...draft.tags, ...tags]);
  const people = withPeople(draft.people, found.people ?? []);
  if (!same(people, draft.people)) offer("people", (found.people ?? []).map(({ name }) => name).join(", "), people);
  const funding = (found.funding ?? []).filter((award) => !draft.funding.some((mine) => sameAward(mine, award)));
  if (funding.length > 0)
    offer("funding", funding.map(({ funder }) => funder).join(", "), [...draft.funding, ...funding]);
  const related = (found.relatedIdentifiers ?? []).filter(
    (work) => !draft.relatedIdentifiers.some((mine) => sameWork(mine, work)),
  );
  if (related.length > 0) {
    const text = related.map(({ identifier }) => identifier).join(", ");
    offer("relatedIdentifiers", text, [...draft.relatedIdentifiers, ...related]);
  }
  return offers;
}

/** Adds people who are missing, and to the others what isn't known of them. Without names, nothing was typed. */
function withPeople(mine: CreditedPerson[], found: CreditedPerson[]): CreditedPerson[] {
  if (found.length === 0) return mine;
  if (mine.every(({ name }) => name.trim() === "")) return found;
  const isSame = (a: CreditedPerson, b: CreditedPerson) =>
    (a.orcid !== "" && a.orcid === b.orcid) || a.name.trim().toLowerCase() === b.name.toLowerCase();
  const completed = mine.map((person) => {
    const known = found.find((each) => isSame(person, each));
    if (!known) return person;
    const affiliation = person.affiliation ?? known.affiliation;
    return { ...person, orcid: person.orcid || known.orcid, ...(affiliation && { affiliation }) };
  });
  return [...completed, ...found.filter((person) => !mine.some((each) => isSame(each, person)))];
}

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

const sameAward = (a: Award, b: Award) => a.funder === b.funder && (a.awardNumber ?? "") === (b.awardNumber ?? "");

const sameWork = (a: RelatedIdentifier, b: RelatedIdentifier) =>
  a.identifier.toLowerCase() === b.identifier.toLowerCase() && a.relation === b.relation;

function shortened(text: string): string {
  const line = text.replace(/\s+/g, " ");
  return line.length > longestText ? `${line.slice(0, longestText)}…` : line;
}
