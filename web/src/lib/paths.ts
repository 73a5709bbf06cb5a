/** A page's address without its origin. */
export interface Place {
  pathname: string;
  search: string;
  hash: string;
}

/** Where a link leads: an address of this site, or the parts in which it differs; the path stays unless it is given. */
export type To = string | Partial<Place>;

// Any would do: what counts is that a path stays within it.
const origin = "http://this.site";

/** The place that `to` means for who is at `from`. It throws for an address outside of this site. */
export function placeOf(to: To, from: Place): Place {
  const address =
    typeof to === "string" ? to : (to.pathname ?? from.pathname) + led("?", to.search) + led("#", to.hash);
  const url = new URL(address, origin + from.pathname + from.search);
  // Two slashes are another site for who follows the path alone: "/.//host" resolves to it.
  if (url.origin !== origin || url.pathname.startsWith("//")) throw new Error(`${address} leads out of this site`);
  return { pathname: url.pathname, search: url.search, hash: url.hash };
}

/** With its mark before it; searches of URLSearchParams come without. */
function led(mark: string, text = ""): string {
  return text === "" || text.startsWith(mark) ? text : mark + text;
}

/**
 * The values of a pattern's ":names" when a path matches it, undefined when it does not. A "*" at its end stands for
 * any rest, also none.
 */
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

/** The words of a part of an address; what nobody can read as it is: nothing is called so. */
export function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
