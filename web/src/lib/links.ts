/** Reports whether an address is a page of this application, not one served otherwise (/help, /api/docs, files) or elsewhere. */
export function isPage(href: string): boolean {
  return /^\/(?!(api|demo|help|idp|site)\/|(help|licenses)([?#]|$))([^/\\?#\s]+\/)*[^/\\?#\s.]*([?#]|$)/.test(href);
}

/** Returns an address that can be a link: only http and https, and that of a DOI; otherwise undefined. */
export function webAddress(address: string | undefined): string | undefined {
  const web = address?.replace(/^doi:/, "https://doi.org/");
  return web && /^https?:\/\//i.test(web) && URL.canParse(web) ? web : undefined;
}

/** An address outside this server: what is at one of its own is what the page shows. */
export function elsewhere(address: string | undefined): string | undefined {
  return address?.startsWith(`${location.origin}/`) ? undefined : address;
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
