/** Links are kept in the tab's session storage alone: never in an address, nor where other tabs read them. */
type Store = Pick<Storage, "getItem" | "setItem" | "removeItem">;

/** Where app/keepLink.ts leaves the secret that came in the address. */
export const waitingLink = "/shared";

const keyOf = (session: string) => `cairn.link.${session}`;

/** The secret that came in the address, behind the #, and hasn't been followed yet. */
export const linkToFollow = (store: Store = sessionStorage): string | undefined =>
  store.getItem(waitingLink)?.slice(1) || undefined;

/** Keeps the link that was followed for the calls that show its session, for visitors without an account. */
export function keepFollowed(session: string, store: Store = sessionStorage) {
  const link = linkToFollow(store);
  if (link !== undefined) store.setItem(keyOf(session), link);
  store.removeItem(waitingLink);
}

/** Forgets the link that was to be followed: it leads nowhere, or it isn't needed any longer. */
export const forgetLink = (store: Store = sessionStorage) => store.removeItem(waitingLink);

/** The link that led to a session. */
export const linkOf = (session: string, store: Store = sessionStorage): string | undefined =>
  store.getItem(keyOf(session)) ?? undefined;

export const forgetLinkOf = (session: string, store: Store = sessionStorage) => store.removeItem(keyOf(session));
