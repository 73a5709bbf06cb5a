import type { Resource, ResourceType } from "@/api/types";
import { fieldMessages } from "./field.messages";
import { fieldHelpMessages } from "./fieldHelp.messages";

/** The types whose entries are written here. A repository's entry comes from its descriptor, or from uploaded files. */
export type WrittenType = Exclude<ResourceType, "REPOSITORY">;

type OwnField = "datasetUrl" | "notebookPath" | "applicationInterfaceId";

/** The texts of every type that citations and harvesters need. */
export type CitedField = "version" | "doi" | "license" | "language";

export type CreditedPerson = NonNullable<Resource["people"]>[number];
export type Award = NonNullable<Resource["funding"]>[number];
export type RelatedIdentifier = NonNullable<Resource["relatedIdentifiers"]>[number];

/** The values of an entry's form. Only the fields of its type are shown and sent. */
export type EntryDraft = Record<"name" | "description" | "headerImage" | OwnField | CitedField, string> & {
  people: CreditedPerson[];
  funding: Award[];
  relatedIdentifiers: RelatedIdentifier[];
  tags: string[];
  authors: string[];
  privacy: Resource["privacy"];
};

export type DraftField = keyof EntryDraft;

/** The fields of each type, in the order of the form. A new type doesn't compile until it has a row here. */
export const ownFields: Record<WrittenType, { name: OwnField; help: string }[]> = {
  DATASET: [{ name: "datasetUrl", help: fieldHelpMessages.datasetUrl }],
  NOTEBOOK: [{ name: "notebookPath", help: fieldHelpMessages.notebookPath }],
  MODEL: [{ name: "applicationInterfaceId", help: fieldHelpMessages.applicationInterfaceId }],
};

export const fieldLabels: Record<DraftField, string> = fieldMessages;

export function newDraft(author: string): EntryDraft {
  return {
    ...{ name: "", description: "", headerImage: "", tags: [], authors: [author], privacy: "PUBLIC" },
    ...{ datasetUrl: "", notebookPath: "", applicationInterfaceId: "" },
    ...{ version: "", doi: "", license: "", language: "", people: [], funding: [], relatedIdentifiers: [] },
  };
}

export function draftOf(entry: Resource): EntryDraft {
  const { name, description, headerImage, tags, authors, privacy } = entry;
  const { datasetUrl = "", notebookSource: notebookPath = "", applicationInterfaceId = "" } = entry;
  const { version = "", doi = "", license = "", language = "" } = entry;
  const { people = [], funding = [], relatedIdentifiers = [] } = entry;
  return {
    ...{ name, description, headerImage, tags: tags.map(({ value }) => value), authors, privacy },
    ...{ datasetUrl, notebookPath, applicationInterfaceId },
    ...{ version, doi, license, language, people, funding, relatedIdentifiers },
  };
}

/** The request body for a draft. Where files are that this server keeps isn't in it. */
export function bodyOf(type: WrittenType, draft: EntryDraft) {
  const own = Object.fromEntries(ownFields[type].map(({ name: field }) => [field, draft[field]]));
  return { ...fieldsOf(draft), ...own };
}

/** The part of the request body that entries of all types have. */
export function fieldsOf(draft: EntryDraft) {
  const { name, description, headerImage, tags, authors, privacy } = draft;
  const { version, doi, license, language, funding, relatedIdentifiers } = draft;
  const cited = { version, doi, license, language, funding, relatedIdentifiers };
  return { name, description, headerImage, tags, authors, privacy, ...cited, people: creditedBy(draft) };
}

/** Who is credited: people who are no longer authors keep their credit without the address. */
function creditedBy({ people, authors }: EntryDraft): CreditedPerson[] {
  return people
    .map(({ email = "", ...person }) => (authors.includes(email) ? { ...person, email } : person))
    .filter((person) => person.name !== "" || "email" in person);
}

interface Merged {
  /** The user's changes applied on top of the others'. */
  draft: EntryDraft;
  /** The fields that both changed differently. */
  disputed: DraftField[];
}

/** Merges a draft with the changes that others made to the same entry. */
export function merge(base: EntryDraft, mine: EntryDraft, theirs: EntryDraft): Merged {
  const same = (field: DraftField, a: EntryDraft, b: EntryDraft) =>
    JSON.stringify(a[field]) === JSON.stringify(b[field]);
  const fields = Object.keys(base) as DraftField[];
  const fromThem = fields.filter((field) => same(field, mine, base));
  const disputed = fields.filter(
    (field) => !same(field, mine, base) && !same(field, theirs, base) && !same(field, mine, theirs),
  );
  return { draft: { ...mine, ...Object.fromEntries(fromThem.map((field) => [field, theirs[field]])) }, disputed };
}

/** A value of a draft as one text. */
export function textOf(draft: EntryDraft, field: DraftField): string {
  const value = draft[field];
  if (!Array.isArray(value)) return value;
  return value.map((each) => (typeof each === "string" ? each : nameOf(each))).join(" · ");
}

function nameOf(row: CreditedPerson | Award | RelatedIdentifier): string {
  if ("identifier" in row) return row.identifier;
  return "funder" in row ? [row.funder, row.awardNumber].filter(Boolean).join(" ") : row.name || (row.email ?? "");
}
