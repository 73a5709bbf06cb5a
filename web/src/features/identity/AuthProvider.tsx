import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useEffect, useLayoutEffect, useMemo, useState, useSyncExternalStore } from "react";
import { api } from "@/api/client";
import { useConfig } from "@/api/config";
import { Problem } from "@/api/problem";
import { onTokenRefused, setTokenSource } from "@/api/token";
import { toast } from "@/ui/toast";
import { AuthStore } from "./authStore";
import type { OidcSettings } from "./provider";
import { storageKey } from "./storedUser";
import { type Auth, AuthContext } from "./useAuth";

/** A sign-out waits no longer than this for the gateway. */
const longestFarewell = 2_000;

/** Tells everything below who is signed in, and the calls of the gateway with which token to go. */
export function AuthProvider({ children }: { children: ReactNode }) {
  const { oidc } = useConfig();
  const queries = useQueryClient();
  const [store] = useState(() => makeStore(oidc));
  const snapshot = useSyncExternalStore(store.subscribe, store.getSnapshot);
  const error = snapshot.error;

  // Before the effects of the pages below, which make the first calls.
  useLayoutEffect(() => connectCalls(store, queries), [store, queries]);
  useEffect(() => keepAlive(store, storageKey(oidc)), [store, oidc]);

  const auth = useMemo<Auth>(
    () => ({
      ...snapshot,
      login: (returnTo = here()) => store.login(returnTo),
      logout: () => store.logout(),
      prepare: () => store.prepare(),
      complete: (address) => store.complete(address),
      answerParent: async () => (await import("./provider")).answerParent(oidc),
    }),
    [snapshot, store, oidc],
  );

  // The page stays as it is, and this notice with it, until somebody is signed in again.
  useEffect(() => {
    if (error?.kind !== "ended" && error?.kind !== "unreachable") return;
    const id =
      error.kind === "ended"
        ? toast.loading("You are signed out", error.message, {
            label: "Sign in",
            onSelect: () => void store.login(here()),
          })
        : toast.loading("Your sign-in cannot be renewed", error.message);
    return () => toast.dismiss(id);
  }, [error?.kind, error?.message, store]);

  return <AuthContext value={auth}>{children}</AuthContext>;
}

function makeStore(oidc: OidcSettings): AuthStore {
  return new AuthStore({
    storage: localStorage,
    key: storageKey(oidc),
    origin: location.origin,
    now: () => Date.now(),
    after: (delay, action) => {
      const timer = window.setTimeout(action, delay);
      return () => window.clearTimeout(timer);
    },
    connect: async (onSignedOut) => (await import("./provider")).connect(oidc, onSignedOut),
    exclusively: async (work) => await navigator.locks.request(`cairn.renew:${storageKey(oidc)}`, work),
    closeSessions: async () => {
      await api.DELETE("/api/v1/rf/sessions/access", { signal: AbortSignal.timeout(longestFarewell) });
    },
    notify: (title, body) => toast.error(title, body),
  });
}

/** Gives the calls their token, has a refused one renewed, and drops what one caller saw before the next one looks. */
function connectCalls(store: AuthStore, queries: QueryClient) {
  setTokenSource(() => {
    const accessToken = store.token();
    return accessToken === null ? undefined : { accessToken, email: store.getSnapshot().user?.email ?? "" };
  });
  onTokenRefused(async (accessToken) => {
    if (await store.recover(accessToken)) {
      void queries.invalidateQueries({
        predicate: ({ state }) => state.error instanceof Problem && state.error.status === 401,
      });
    }
  });
  let caller = callerOf(store);
  return store.subscribe(() => {
    const next = callerOf(store) ?? caller;
    if (next !== caller) {
      // What everybody sees is refined without a jump at sign-in; what somebody saw is gone at once after them.
      if (caller === "") void queries.invalidateQueries();
      else void queries.resetQueries();
      caller = next;
    }
  });
}

/** "" for nobody; undefined while it is not known. */
function callerOf(store: AuthStore): string | undefined {
  const { state, user } = store.getSnapshot();
  return state === "authenticated" ? user?.subject : state === "anonymous" ? "" : undefined;
}

/** Renews in time and follows the other tabs. The hidden frame of a silent renewal leaves that to the page around it. */
function keepAlive(store: AuthStore, key: string) {
  if (window.parent !== window) return;
  const stop = store.start();
  const listening = new AbortController();
  const options = { signal: listening.signal };
  const look = () => store.reread();
  // Without a key everything was cleared. Other entries are none of ours: the library writes some at each renewal.
  window.addEventListener("storage", (event) => (event.key === key || event.key === null) && look(), options);
  // Timers stand still while a computer sleeps, and a page that Back brings up again shows what was then.
  window.addEventListener("pageshow", (event) => event.persisted && look(), options);
  window.addEventListener("online", look, options);
  document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && look(), options);
  return () => {
    listening.abort();
    stop();
  };
}

function here(): string {
  return location.pathname + location.search + location.hash;
}
