import type { Descriptor, Resource } from "@/api/types";
import { needsText } from "@/lib/resources";
import { privacyText } from "./privacy.messages";

/** A field of an entry that a sync changes. */
export type Change =
  | {
      field: "name" | "description" | "license" | "version" | "doi" | "needs" | "privacy";
      before: string;
      after: string;
    }
  | { field: "authors" | "tags"; added: string[]; removed: string[]; reordered: boolean };

/**
 * Returns the fields that a sync with a descriptor changes, in the order of an entry's page. Whoever left the entry stays
 * out of it.
 */
export function changesOf(entry: Resource, descriptor: Descriptor): Change[] {
  const tags = entry.tags.map(({ value }) => value);
  const people = entry.people ?? entry.authors.map((email) => ({ name: "", orcid: "", email }));
  const stays = ({ email = "" }: Person) => !(entry.formerAuthors ?? []).includes(email);
  // While a source doesn't answer, a sync takes nothing away that may be from there.
  const kept = (before = "", after: string) => (after === "" && descriptor.unanswered ? before : after);
  const all: Change[] = [
    { field: "name", before: entry.name, after: descriptor.name },
    { field: "description", before: entry.description.trim(), after: descriptor.description },
    {
      field: "authors",
      ...listChange(people.map(personText), descriptor.people.filter(stays).map(personText)),
    },
    { field: "tags", ...listChange(tags, descriptor.tags), reordered: false },
    { field: "license", before: entry.license ?? "", after: kept(entry.license, descriptor.license) },
    { field: "version", before: entry.version ?? "", after: kept(entry.version, descriptor.version) },
    { field: "doi", before: entry.doi ?? "", after: kept(entry.doi, descriptor.doi) },
    { field: "needs", before: needsText(entry.needs), after: needsText(descriptor.needs) },
    { field: "privacy", before: privacyText(entry), after: privacyText(descriptor) },
  ];
  return all.filter((change) =>
    "before" in change
      ? change.before !== change.after
      : change.added.length + change.removed.length > 0 || change.reordered,
  );
}

type Person = Descriptor["people"][number];

/** A person as people write one: the name, with the address and the ORCID iD if there are any. */
export function personText({ name, email, orcid }: Person): string {
  const [first = "", ...others] = [name, email, orcid].filter((part) => part);
  return others.length > 0 ? `${first} (${others.join(", ")})` : first;
}

function listChange(before: string[], after: string[]) {
  const added = after.filter((each) => !before.includes(each));
  const removed = before.filter((each) => !after.includes(each));
  const reordered = added.length + removed.length === 0 && before.join("\n") !== after.join("\n");
  return { added, removed, reordered };
}

/** Returns the differing lines of two texts, without their common beginning and end. */
export function differentLines(before: string, after: string): [before: string, after: string] {
  const [a, b] = [before.split("\n"), after.split("\n")];
  const most = Math.min(a.length, b.length);
  let head = 0;
  while (head < most && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < most - head && a.at(-1 - tail) === b.at(-1 - tail)) tail++;
  const cut = (lines: string[]) => lines.slice(head, lines.length - tail).join("\n");
  return [cut(a), cut(b)];
}
