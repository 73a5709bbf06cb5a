/** Where this tab keeps, while it is at a code host, which one that is. */
const key = "cairn.connecting";

/** Keeps the host to which the browser is about to be sent: the address with which it comes back doesn't say it. */
export function rememberHost(storage: Storage, host: string): void {
  storage.setItem(key, host);
}

/** Returns the host that was begun in this tab, once; undefined if there is none. */
export function takeHost(storage: Storage): string | undefined {
  const host = storage.getItem(key);
  storage.removeItem(key);
  return host ?? undefined;
}
