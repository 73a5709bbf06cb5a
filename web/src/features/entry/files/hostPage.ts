import { webAddress } from "@/lib/links";

/** The page of a repository at its code host, and the host's name; undefined if it has none. */
export function hostPage(repositoryUrl: string, filesUrl: string | undefined) {
  const address = webAddress(repositoryUrl);
  if (address === undefined) return undefined;
  const { host, hostname } = new URL(address);
  // Bundled repositories are cloned from this server, and have no pages.
  if (host === location.host || filesUrl === "") return undefined;
  const isGitHub = filesUrl !== undefined || hostname === "github.com";
  return { address: address.replace(/(\.git)?\/*$/, ""), name: isGitHub ? "GitHub" : hostname };
}
