import type { Resource } from "@/api/types";
import { resourcePath } from "@/features/catalog/kinds";
import type { CslItem, CslName } from "@/lib/citation";
import { nameInAddress } from "@/lib/nameInAddress";

/** An entry as a work to cite: published here, on the day when it was added. */
export function cslItem(resource: Resource, product: string, origin: string): CslItem {
  const { name, type, authors, createdAt, version } = resource;
  const added = new Date(createdAt);
  const address = origin + resourcePath(resource);
  return {
    id: address,
    type: type === "DATASET" ? "dataset" : "software",
    title: name,
    author: authors.map((email): CslName => nameInAddress(email) ?? { literal: email }),
    issued: { "date-parts": [[added.getUTCFullYear(), added.getUTCMonth() + 1, added.getUTCDate()]] },
    ...(version && { version }),
    ...(type === "NOTEBOOK" && { genre: "Computational notebook" }),
    publisher: product,
    URL: address,
  };
}
