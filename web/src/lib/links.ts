/** Distinguishes pages of this application from what the server itself answers (/api/docs, files) and from other sites. */
export function isPage(href: string): boolean {
  return /^\/(?!(api|demo|idp|site)\/|licenses$)([^/\\?#\s]+\/)*[^/\\?#\s.]*([?#]|$)/.test(href);
}

/** The address to show as a link: only one of the web, otherwise undefined. */
export function webAddress(address: string | undefined): string | undefined {
  return address !== undefined && /^https?:\/\//i.test(address) && URL.canParse(address) ? address : undefined;
}

/** The way through the login and back to a page. */
export function loginPath({ pathname, search, hash }: { pathname: string; search: string; hash: string }): string {
  const redirect = pathname === "/login" ? "/" : pathname + search + hash;
  return redirect === "/" ? "/login" : `/login?${new URLSearchParams({ redirect })}`;
}

/** The name of the file behind an address; its host when it has no path. */
export function lastSegment(address: string): string {
  const { pathname, host } = new URL(address);
  const last = pathname.split("/").findLast((part) => part !== "") ?? host;
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}
