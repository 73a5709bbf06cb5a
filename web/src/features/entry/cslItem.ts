import type { Resource, ResourceType } from "@/api/types";
import { resourcePath } from "@/features/catalog/kinds";
import type { CslItem, CslName } from "@/lib/citation";
import { nameInAddress } from "@/lib/nameInAddress";

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
  const issued = new Date(issuedAt ?? createdAt);
  // Only public entries have a permanent address that leads somewhere.
  const address = origin + (issuedAt && resource.privacy === "PUBLIC" ? `/id/${id}` : resourcePath(resource));
  return {
    id: address,
    ...(works[type] ?? works.REPOSITORY), // a newer server may know more types
    title: name,
    author: authorsOf(resource),
    issued: { "date-parts": [[issued.getUTCFullYear(), issued.getUTCMonth() + 1, issued.getUTCDate()]] },
    ...(version && { version }),
    ...(doi && { DOI: doi }),
    publisher,
    ...(license && { license }),
    URL: address,
  };
}

/** The authors whom the entry credits by name, else its authors. */
function authorsOf({ people = [], authors }: Resource): CslName[] {
  const named = people.filter(({ name, role }) => name !== "" && !role);
  if (named.length > 0) return named.map(({ name }) => ({ literal: name }));
  return authors.map((email) => nameInAddress(email) ?? { literal: email });
}
