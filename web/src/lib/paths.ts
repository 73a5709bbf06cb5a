/** A page's address without its origin. */
export interface Place {
  pathname: string;
  search: string;
  hash: string;
}

/** The target of a link: an address on this site, or its parts. The path defaults to the current one. */
export type To = string | Partial<Place>;

// Any origin would do: addresses are resolved against it, and must stay on it.
const origin = "http://this.site";

/** Resolves `to` against `from`. It throws for an address outside of this site. */
export function placeOf(to: To, from: Place): Place {
  const url = new URL(
    typeof to === "string" ? to : (to.pathname ?? from.pathname),
    origin + from.pathname + from.search,
  );
  // A path that begins with two slashes leads to another site: "/.//host" resolves to one.
  if (url.origin !== origin || url.pathname.startsWith("//")) throw new Error(`${url} leads out of this site`);
  if (typeof to !== "string") Object.assign(url, { search: to.search ?? "", hash: to.hash ?? "" });
  return { pathname: url.pathname, search: url.search, hash: url.hash };
}

/** Returns the values of a pattern's ":names", or undefined unless the path matches. A final "*" matches any rest. */
export function matchPath(pattern: string, pathname: string): Record<string, string> | undefined {
  const wanted = pattern.split("/");
  const found = pathname.split("/");
  const values: Record<string, string> = {};
  for (const [at, want] of wanted.entries()) {
    if (want === "*") return values;
    const is = decoded(found[at] ?? "");
    if (want.startsWith(":")) values[want.slice(1)] = is;
    else if (want !== is) return undefined;
  }
  return found.length === wanted.length ? values : undefined;
}

/** Decodes a part of an address; an invalid one is returned unchanged. */
export function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
