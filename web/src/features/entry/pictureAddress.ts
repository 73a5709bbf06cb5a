import type { Resource } from "@/api/types";
import type { Version } from "@/api/version";

/**
 * Where this server offers a picture of an entry's texts: a file of its repository, or one at a web address that this file,
 * or else the description, names. Nowhere for an entry that is shown to those who can read its repository: the browser loads
 * pictures without saying who asks.
 */
export function pictureAddress(
  { id, coverUrl = "", audience }: Pick<Resource, "id" | "coverUrl" | "audience">,
  picture: { file?: string; address?: string },
  version?: Version,
): string | undefined {
  if (audience) return undefined;
  const query = new URLSearchParams({ ...picture, ...(version && { version }) });
  // Pictures of private entries need a signature, which is that of the cover.
  const cover = new URLSearchParams(coverUrl.split("?")[1]);
  for (const name of ["expires", "signature"]) {
    const value = cover.get(name);
    if (value) query.set(name, value);
  }
  return `/api/v1/rf/resources/public/${id}/picture?${query}`;
}
