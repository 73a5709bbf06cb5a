/** Four words of at least three letters each. */
const fewestLetters = 12;

/** A code as the server takes it, from what somebody typed: words apart by blanks, hyphens or whatever, in any case. */
export const normalizeCode = (typed: string): string =>
  (
    typed
      .normalize("NFKC")
      .toLowerCase()
      .match(/\p{L}+/gu) ?? []
  ).join(" ");

/** Whether that may be all of a code. The server minds the letters alone: somebody may write the words as one. */
export const isWhole = (code: string): boolean => normalizeCode(code).replaceAll(" ", "").length >= fewestLetters;

/** Where app/keepLink.ts leaves the fragment of the address with which somebody came. */
const placeOf = (key: string) => `/join/${key}`;

/** The code that came in the address, behind the #, with blanks; "" for none. */
export function codeFromLink(key: string, store: Pick<Storage, "getItem"> = sessionStorage): string {
  const fragment = store.getItem(placeOf(key))?.slice(1) ?? "";
  try {
    return normalizeCode(decodeURIComponent(fragment));
  } catch {
    return normalizeCode(fragment);
  }
}

/** Forgets it: it has led to a seat. */
export const forgetCode = (key: string, store: Pick<Storage, "removeItem"> = sessionStorage) =>
  store.removeItem(placeOf(key));
