import type { Interface } from "@/api/types";
import type { RunOptions } from "@/lib/sharing/runAddress";
import type { RunTarget } from "@/ui/run";

/**
 * How a new tab learns what to open.
 *
 * A tab has to be opened within the click, long before the server has answered. The page that was clicked therefore
 * leaves a request in local storage under a random key, opens `/open#<key>`, and forgets the matter: the new tab takes
 * the request over, calls the server and goes to the session. Only our own origin can leave a request, so a foreign
 * link to /open starts nothing, and neither name nor project stand in an address. The key doubles as Idempotency-Key.
 */

/** What a session is started from, and how: an entry or a project, and what the caller chose. */
export interface RunWish extends RunOptions {
  resourceId?: string;
  projectId?: string;
  /** A version of another session, instead of an entry or a project. */
  fromVersion?: { session: string; version: string };
  /** Or what somebody else shares, by the id of the share. */
  fromShare?: string;
  engine?: string;
  /** In which it is opened; without it, Jupyter. */
  interface?: Interface;
  /** The name of a size that the engine offers. */
  profile?: string;
}

/**
 * What the new tab is to do: start a session of a project, or from an entry or a project (`title` names that meanwhile),
 * or restart a stopped one, and then go to it.
 */
export type OpenRequest =
  | { do: "start"; projectId: string; sessionName: string; engine: string; profile?: string }
  | { do: "run"; wish: RunWish; title: string }
  | { do: "restart"; sessionId: string };

/** The wish to run an entry or a project as it was asked for. */
export function wishOf({ id, of, options }: RunTarget): RunWish {
  return { ...(of === "entry" ? { resourceId: id } : { projectId: id }), ...options };
}

/** The outcome of a request, sent to the tab that was clicked; `failure` says why it failed. */
export interface OpenOutcome {
  key: string;
  failure?: string;
}

type Store = Pick<Storage, "getItem" | "setItem" | "removeItem" | "key" | "length">;

const prefix = "cairn.open.";
/** How long a request may wait, in milliseconds: for a blocked tab to be opened by the link in the notice. */
export const requestLifetime = 10 * 60_000;

/** The channel for `OpenOutcome`s. */
export const outcomeChannel = "cairn.open";

/** Leaves a request for a new tab and returns the address to open. Requests that no tab took are removed. */
export function leaveRequest(store: Store, request: OpenRequest, key: string, now: number): string {
  for (const stale of staleKeys(store, now)) {
    store.removeItem(stale);
  }
  store.setItem(prefix + key, JSON.stringify({ request, until: now + requestLifetime }));
  return `/open#${key}`;
}

/**
 * Takes the request that `hash` names. It is kept in `own`, the tab's session storage, so that a reload of the tab
 * repeats it under the same key instead of losing it. Null: there is none, or it is too old.
 */
export function takeRequest(
  shared: Store,
  own: Store,
  hash: string,
  now: number,
): { key: string; request: OpenRequest } | null {
  const key = hash.replace(/^#/, "");
  const name = prefix + key;
  const text = own.getItem(name) ?? shared.getItem(name);
  shared.removeItem(name);
  const left = parse(text);
  if (!left || left.until < now) {
    return null;
  }
  own.setItem(name, JSON.stringify(left));
  return { key, request: left.request };
}

function staleKeys(store: Store, now: number): string[] {
  return Array.from({ length: store.length }, (_, index) => store.key(index) ?? "").filter((name) => {
    return name.startsWith(prefix) && (parse(store.getItem(name))?.until ?? 0) < now;
  });
}

// Only our own origin writes here, so a request that parses is one.
function parse(text: string | null): { request: OpenRequest; until: number } | null {
  try {
    return JSON.parse(text ?? "null");
  } catch {
    return null;
  }
}
