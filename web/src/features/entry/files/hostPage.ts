import { webAddress } from "@/lib/links";

/** What people call the code hosts that everybody knows. */
const names: Readonly<Record<string, string>> = {
  "github.com": "GitHub",
  "gitlab.com": "GitLab",
  "codeberg.org": "Codeberg",
  "bitbucket.org": "Bitbucket",
};

/** The page of a repository at its code host, and the host's name; undefined if it has none. */
export function hostPage(repositoryUrl: string, filesUrl: string | undefined, name?: string) {
  const address = webAddress(repositoryUrl);
  if (address === undefined) return undefined;
  const { host, hostname } = new URL(address);
  // Bundled repositories are cloned from this server, and have no pages; nor may hosts that are read with git alone.
  if (host === location.host || filesUrl === "") return undefined;
  return { address: address.replace(/(\.git)?\/*$/, ""), name: name ?? names[hostname] ?? hostname };
}

/** The page of a commit, from that of its repository. */
export function commitPage(page: string, id: string): string {
  return `${page}/${new URL(page).hostname === "bitbucket.org" ? "commits" : "commit"}/${id}`;
}
