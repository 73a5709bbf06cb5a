/**
 * Gives back `wanted` (a path with query and hash) if following it stays on `origin`, else "/".
 * It must begin with one slash and hold neither a backslash nor a control character, because browsers read
 * `//evil`, `/\evil` and `/<tab>/evil` as other hosts; the parsed result is compared once more.
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
  // `/..//evil` is on our origin, but its path begins with two slashes: resolved once more it would leave.
  if (address.origin !== origin || address.pathname.startsWith("//")) {
    return "/";
  }
  return address.pathname + address.search + address.hash;
}

/**
 * The return address of the sign-in that `address` answers, as it was left in storage: the library forgets it with a
 * sign-in that fails.
 */
export function leftReturnAddress(storage: Pick<Storage, "getItem">, address: string): string {
  const { searchParams, origin } = new URL(address);
  try {
    const left = JSON.parse(storage.getItem(`oidc.${searchParams.get("state")}`) ?? "null");
    return returnAddress(left?.data?.returnTo, origin);
  } catch {
    return "/";
  }
}
