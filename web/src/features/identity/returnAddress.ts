/**
 * Returns `wanted` (a path with query and hash) if following it stays on `origin`, else "/". It must begin with exactly one
 * slash and contain neither backslashes nor control characters, because browsers read `//evil`, `/\evil` and
 * `/<tab>/evil` as other hosts. The parsed address is checked as well.
 */
export function returnAddress(wanted: unknown, origin: string): string {
  if (typeof wanted !== "string" || !/^\/(?!\/)[^\\\p{Cc}]*$/u.test(wanted)) {
    return "/";
  }
  let address: URL;
  try {
    address = new URL(wanted, origin);
  } catch {
    return "/";
  }
  // `/..//evil` is on our origin, but its path begins with two slashes, so resolving it again would leave.
  if (address.origin !== origin || address.pathname.startsWith("//")) {
    return "/";
  }
  return address.pathname + address.search + address.hash;
}

/** A sign-in in progress, as the library stored it: the library removes it when it ends, even with an error. */
interface LeftSignIn {
  returnTo: string;
  /** The sign-in runs in a separate window, beside the page that began it. */
  beside: boolean;
}

/** The sign-in that `address` answers. */
export function leftSignIn(storage: Pick<Storage, "getItem">, address: string): LeftSignIn {
  const { searchParams, origin } = new URL(address);
  try {
    const left = JSON.parse(storage.getItem(`oidc.${searchParams.get("state")}`) ?? "null");
    return { returnTo: returnAddress(left?.data?.returnTo, origin), beside: left?.request_type === "si:p" };
  } catch {
    return { returnTo: "/", beside: false };
  }
}
