/** What the address of a run names besides the entry or project: the file that opens, the branch, tag or commit, and in what it opens. */
export interface RunOptions {
  file?: string;
  ref?: string;
  /** Of the session. */
  name?: string;
  interface?: "jupyter" | "vscode";
  /** The number of a version of the entry; without it, the latest. */
  version?: number;
}

const texts = ["file", "ref", "name"] as const;
const known = [...texts, "interface", "version"] as const;

/** As long as programs and people pass addresses on without cutting them. */
export const longestRunAddress = 2_000;

/** The page /run of an entry or project. Its address survives chats, Markdown and reStructuredText as it is. */
export function runPath(id: string, options: RunOptions = {}): string {
  const query = known.flatMap((name) => (options[name] ? [`${name}=${escaped(`${options[name]}`)}`] : []));
  return `/run/${escaped(id)}${query.length === 0 ? "" : `?${query.join("&")}`}`;
}

/** The options in the query of such an address, and the names of all other parameters, once each. */
export function readRun(search: string): { options: RunOptions; unknown: string[] } {
  const query = new URLSearchParams(search);
  const options: RunOptions = {};
  for (const name of texts) {
    const value = query.get(name)?.trim();
    if (value) options[name] = value;
  }
  const inside = query.get("interface");
  if (inside === "jupyter" || inside === "vscode") options.interface = inside;
  const version = Number(query.get("version"));
  if (Number.isSafeInteger(version) && version > 0) options.version = version;
  const read: readonly string[] = [...texts, ...known.filter((name) => options[name] !== undefined)];
  const others = [...new Set(query.keys())].filter((name) => !read.includes(name));
  return { options, unknown: others };
}

/** A text as part of an address; slashes stay, because they end nothing in a query. */
export function escaped(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, "\ufffd"))
    .replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll("%2F", "/");
}
