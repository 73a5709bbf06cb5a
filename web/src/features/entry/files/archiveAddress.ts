import { webAddress } from "@/lib/links";

/** The address of a ZIP file with a repository's default branch; undefined if its host is not known to make one. */
export function archiveAddress(repositoryUrl: string | undefined): string | undefined {
  const address = webAddress(repositoryUrl);
  if (address === undefined || new URL(address).host !== "github.com") return undefined;
  return `${address.replace(/(\.git)?\/*$/, "")}/archive/HEAD.zip`;
}
