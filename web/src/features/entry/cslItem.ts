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

/** An entry as a citable work, published here on the day it was added. */
export function cslItem(resource: Resource, product: string, origin: string): CslItem {
  const { name, type, createdAt, version, doi } = resource;
  const added = new Date(createdAt);
  const address = origin + resourcePath(resource);
  return {
    id: address,
    ...(works[type] ?? works.REPOSITORY), // a newer server may know more types
    title: name,
    author: authorsOf(resource),
    issued: { "date-parts": [[added.getUTCFullYear(), added.getUTCMonth() + 1, added.getUTCDate()]] },
    ...(version && { version }),
    ...(doi && { DOI: doi }),
    publisher: product,
    URL: address,
  };
}

/** Everybody whom the entry credits by name, else its authors. */
function authorsOf({ people = [], authors }: Resource): CslName[] {
  const named = people.filter(({ name }) => name !== "");
  if (named.length > 0) return named.map(({ name }) => ({ literal: name }));
  return authors.map((email) => nameInAddress(email) ?? { literal: email });
}
