import type { Resource, ResourceType, Run } from "@/api/types";
import { resourcePath } from "@/features/catalog/kinds";
import type { CslItem, CslName } from "@/lib/citation";
import { groupInAddress, nameInAddress, nameParts } from "@/lib/nameInAddress";
import { citeDialogMessages as messages } from "./CiteDialog.messages";
import { artifactAddress } from "./runs/queries";
import { timeOf } from "./runs/runLooks";

/** The kind of work that each type of entry is. A new type doesn't compile until it has a row here. */
const works: Record<ResourceType, Pick<CslItem, "type" | "genre">> = {
  DATASET: { type: "dataset" },
  MODEL: { type: "software" },
  NOTEBOOK: { type: "software", genre: "Computational notebook" },
  REPOSITORY: { type: "software" },
};

/** An entry as a citable work, published on the day when it first was public. */
export function cslItem(resource: Resource, publisher: string, origin: string): CslItem {
  const { id, name, type, createdAt, issuedAt, version, doi, license } = resource;
  // Only public entries have a permanent address that leads somewhere.
  const address = origin + (issuedAt && resource.privacy === "PUBLIC" ? `/id/${id}` : resourcePath(resource));
  return {
    id: address,
    ...(works[type] ?? works.REPOSITORY), // a newer server may know more types
    title: name,
    author: authorsOf(resource),
    issued: dayOf(issuedAt ?? createdAt),
    ...(version && { version }),
    ...(doi && { DOI: doi }),
    publisher,
    ...(license && { license }),
    URL: address,
  };
}

/** What a repository's citation file asks for, with what it doesn't say: the version and the date are the entry's own. */
export function askedItem(asked: CslItem, own: CslItem): CslItem {
  const itself = asked.type === own.type; // not an article about it
  const { version = itself ? own.version : undefined, issued = itself ? own.issued : undefined } = asked;
  const address = asked.DOI || asked.URL ? undefined : own.URL;
  return { ...asked, ...(version && { version }), ...(issued && { issued }), ...(address && { URL: address }) };
}

/** The crate of a run by the catalog as a citable work: it contains what ran, how, and what came out. */
export function runItem(run: Run, resource: Resource, publisher: string, origin: string): CslItem {
  const address = new URL(artifactAddress(run, "crate.zip"), origin).href;
  const file = run.file === resource.name ? "" : run.file;
  return {
    id: address,
    type: "dataset",
    genre: "RO-Crate",
    title: messages.crateOf(resource.name, file, timeOf(run).slice(0, 10)),
    author: authorsOf(resource),
    issued: dayOf(timeOf(run)),
    ...(run.commit && { version: run.commit }),
    publisher,
    ...(resource.license && { license: resource.license }),
    URL: address,
  };
}

function dayOf(moment: string) {
  const day = new Date(moment);
  return { "date-parts": [[day.getUTCFullYear(), day.getUTCMonth() + 1, day.getUTCDate()]] };
}

/** Whether nobody is credited by name, so that names are guessed from e-mail addresses. */
export const namesAreGuessed = ({ people = [] }: Resource): boolean => !people.some(isNamedAuthor);

const isNamedAuthor = ({ name, role }: NonNullable<Resource["people"]>[number]) => name !== "" && !role;

/** The authors whom the entry credits by name, else names in the addresses of its authors: nobody's address is cited. */
function authorsOf({ people = [], authors }: Resource): CslName[] {
  const named = people.filter(isNamedAuthor);
  if (named.length > 0) return named.map(({ name, orcid }) => ({ ...nameParts(name), ...(orcid && { orcid }) }));
  return authors.map((email) => nameInAddress(email) ?? { literal: groupInAddress(email) });
}
