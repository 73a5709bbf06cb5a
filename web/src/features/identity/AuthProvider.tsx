import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useEffect, useLayoutEffect, useMemo, useRef, useSyncExternalStore } from "react";
import { useConfig } from "@/api/config";
import { Problem } from "@/api/problem";
import { onTokenRefused, setTokenSource } from "@/api/token";
import { toast } from "@/ui/toast";
import { authMessages } from "./auth.messages";
import { carriesAnswer, storageKey } from "./knownSignIn";
import { LazyAuthStore } from "./lazyAuthStore";
import type { OidcSettings } from "./provider";
import { type Auth, AuthContext, type AuthSnapshot } from "./useAuth";

/** Provides the signed-in user of a store to everything below, and the token to API calls. */
export function AuthProvider({ store, children }: { store: LazyAuthStore; children: ReactNode }) {
  const { oidc } = useConfig();
  const queries = useQueryClient();
  const snapshot = useSyncExternalStore(store.subscribe, store.getSnapshot);
  const { state, error } = snapshot;
  const caller = callerOf(snapshot);

  // Before the effects of the pages below, which make the first calls.
  useLayoutEffect(() => connectCalls(store), [store]);
  useEffect(() => store.start(), [store]);

  const auth = useMemo<Auth>(
    () => ({
      ...snapshot,
      login: async (returnTo = here()) => {
        try {
          await (await store.whole()).login(returnTo);
        } catch {
          // Not even our own code can be loaded.
          toast.error(authMessages.signInFailed, authMessages.signInFailedReason);
        }
      },
      loginBeside: async () => (await store.whole()).loginBeside(),
      logout: async () => (await store.whole()).logout(),
      prepare: async () => (await store.whole()).prepare(),
      complete: async (address) => (await store.whole()).complete(address),
      answerParent: async () => (await import("./provider")).answerParent(oidc),
      answerOpener: async () => {
        try {
          await (await import("./provider")).answerOpener(oidc);
        } finally {
          // A window that the browser doesn't let close itself may be used on.
          (await store.whole()).arrived();
        }
      },
    }),
    [snapshot, store, oidc],
  );

  // After the render, so that pages the new caller may not see are gone and send no more requests.
  const lastCaller = useRef(caller ?? "");
  useEffect(() => {
    if (caller === undefined || caller === lastCaller.current) return;
    // After sign-in, public data stays visible while it is refetched; after sign-out, private data is removed immediately.
    if (lastCaller.current === "") void queries.invalidateQueries();
    else void queries.resetQueries();
    lastCaller.current = caller;
  }, [caller, queries]);

  // Repeats calls that were rejected while the sign-in couldn't be renewed, and restarts polls that stopped.
  useEffect(() => {
    if (state !== "authenticated") return;
    void queries.invalidateQueries({
      predicate: (query) => query.state.error instanceof Problem && query.state.error.status === 401,
    });
  }, [state, queries]);

  // The page and this notice stay until the sign-in is renewed. SignInPrompt reports when that happens.
  useEffect(() => {
    if (error?.kind !== "unreachable") return;
    const id = toast.loading(authMessages.cannotRenew, error.message);
    return () => toast.dismiss(id);
  }, [error?.kind, error?.message]);

  return <AuthContext value={auth}>{children}</AuthContext>;
}

/** Returns the store of who is signed in with this configuration. */
export function makeStore(oidc: OidcSettings): LazyAuthStore {
  const key = storageKey(oidc);
  return new LazyAuthStore({
    knowsSomebody: () => localStorage.getItem(key) !== null || carriesAnswer(location.href),
    load: async () => (await import("./browserStore")).load(oidc),
    watch: (look) => {
      const listening = new AbortController();
      const options = { signal: listening.signal };
      window.addEventListener("storage", look, options);
      window.addEventListener("pageshow", look, options);
      document.addEventListener("visibilitychange", look, options);
      return () => listening.abort();
    },
  });
}

/** Provides the token for calls, and renews a rejected one. */
function connectCalls(store: LazyAuthStore) {
  setTokenSource(() => {
    const accessToken = store.token();
    const { user } = store.getSnapshot();
    return accessToken === null || !user ? undefined : { accessToken, subject: user.subject, email: user.email };
  });
  onTokenRefused(async (accessToken) => (await store.whole()).recover(accessToken));
}

/** "" for nobody; undefined while unknown. */
function callerOf({ state, user, error }: AuthSnapshot): string | undefined {
  if (state === "anonymous" || error?.kind === "signout") return "";
  return state === "authenticated" ? user?.subject : undefined;
}

function here(): string {
  return location.pathname + location.search + location.hash;
}
