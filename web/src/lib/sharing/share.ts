import { decoded } from "@/lib/paths";
import { shellWord } from "@/lib/shell";
import { escaped } from "./runAddress";

/** What is shared, for whoever writes about it. */
export interface Shared {
  /** Where the link leads. */
  address: string;
  /** The picture that stands for it; without one the link is a text. */
  badge: string | undefined;
  /** What the picture or the link says. */
  text: string;
}

export const shareFormats = ["Markdown", "HTML", "reStructuredText"] as const;
export type ShareFormat = (typeof shareFormats)[number];

/** The link in a format of READMEs and web pages. */
export function shareText({ address, badge, text }: Shared, format: ShareFormat): string {
  switch (format) {
    case "Markdown": {
      const words = text.replace(/[\\[\]<>*_`]/g, "\\$&");
      return badge ? `[![${words}](${badge})](${address})` : `[${words}](${address})`;
    }
    case "HTML": {
      const inside = badge ? `<img src="${inHtml(badge)}" alt="${inHtml(text)}">` : inHtml(text);
      return `<a href="${inHtml(address)}" rel="nofollow">${inside}</a>`;
    }
    case "reStructuredText": {
      // There an underscore at the end of an address makes it a name.
      const target = address.replace(/_$/, "%5F");
      if (!badge) return `\`${text.replace(/[\\`<>]/g, "\\$&")} <${target}>\`__`;
      return `.. image:: ${badge}\n   :target: ${target}\n   :alt: ${text}`;
    }
  }
}

function inHtml(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** A place in a repository at GitHub. */
interface Place {
  owner: string;
  name: string;
  ref?: string | undefined;
  file?: string | undefined;
}

/** The address at GitHub of a file that a page of nbviewer shows; any other address is returned unchanged. */
function viewed(address: string): string {
  return address.replace(
    /^https?:\/\/(www\.)?nbviewer\.(org|jupyter\.org|ipython\.org)\/github\//i,
    "https://github.com/",
  );
}

/** The repository at GitHub that a clone address, or the address of a file in it, names; undefined for any other. */
export function gitHubPlace(address: string): Place | undefined {
  if (!URL.canParse(address)) return undefined;
  const { protocol, hostname, pathname } = new URL(viewed(address));
  if (protocol !== "https:") return undefined;
  const [owner = "", repository = "", ...rest] = pathname.slice(1).split("/").map(decoded);
  const name = repository.replace(/\.git$/, "");
  if (owner === "" || name === "") return undefined;
  if (hostname === "raw.githubusercontent.com") return { owner, name, ...inRepository(rest) };
  if (hostname !== "github.com") return undefined;
  return { owner, name, ...(/^(blob|raw|tree)$/.test(rest[0] ?? "") && inRepository(rest.slice(1))) };
}

/** A branch's name may have slashes: only "refs/heads/" before it says so, and then it is taken to have none. */
function inRepository(parts: string[]): Pick<Place, "ref" | "file"> {
  const [ref, ...file] = /^refs\/(heads|tags)\//.test(`${parts.join("/")}/`) ? parts.slice(2) : parts;
  return { ref: ref || undefined, file: file.join("/") || undefined };
}

/** Opens a repository in Binder. */
export function binderAddress({ owner, name, ref = "HEAD", file }: Place): string {
  const query = file ? `?labpath=${escaped(file)}` : "";
  return `https://mybinder.org/v2/gh/${escaped(owner)}/${escaped(name)}/${escaped(ref)}${query}`;
}

/** Opens a repository at any other code host in Binder; undefined for one that only this server or a private network has. */
export function binderOfGit(address: string, ref = "", file = ""): string | undefined {
  if (!URL.canParse(address)) return undefined;
  const { protocol, hostname } = new URL(address);
  if (protocol !== "https:" || !hostname.includes(".") || hostname.endsWith(".localhost")) return undefined;
  const query = file ? `?labpath=${escaped(file)}` : "";
  return `https://mybinder.org/v2/git/${encodeURIComponent(address)}/${escaped(ref || "HEAD")}${query}`;
}

/** Reports whether an address is that of a file at a code host, of which the repository is known. */
export function isAtCodeHost(address: string): boolean {
  if (gitHubPlace(address)) return true;
  if (!URL.canParse(address)) return false;
  const { hostname, pathname } = new URL(address);
  // As internal/entries/codehost/pages.go, which has the pages of each kind of host.
  return (
    /^(\/[^/]+){2,}\/(-\/(blob|raw)|(src|raw|media)\/(branch|commit|tag))\/[^/]+\/./.test(pathname) ||
    (hostname === "bitbucket.org" && /^(\/[^/]+){2}\/(src|raw)\/[^/]+\/./.test(pathname))
  );
}

/** Opens a notebook in Colab, or the list of a repository's notebooks if the place names none or no branch. */
export function colabAddress({ owner, name, ref, file }: Place): string {
  const place = `https://colab.research.google.com/github/${escaped(owner)}/${escaped(name)}`;
  return ref && file?.endsWith(".ipynb") ? `${place}/blob/${escaped(ref)}/${escaped(file)}` : place;
}

/** The command that copies a repository to one's own machine. A commit has no branch to name: it is checked out after. */
export function cloneCommand(address: string, ref?: string): string {
  const url = shellWord(address);
  if (!ref) return `git clone ${url}`;
  if (!/^[0-9a-f]{7,64}$/.test(ref)) return `git clone --branch ${shellWord(ref)} ${url}`;
  const folder = address
    .replace(/\/+$/, "")
    .replace(/\.git$/, "")
    .split("/")
    .at(-1);
  return `git clone ${url} && git -C ${shellWord(folder ?? "")} checkout ${ref}`;
}
