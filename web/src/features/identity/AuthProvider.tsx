import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useEffect, useLayoutEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import { api } from "@/api/client";
import { useConfig } from "@/api/config";
import { Problem } from "@/api/problem";
import { onTokenRefused, setTokenSource } from "@/api/token";
import { toast } from "@/ui/toast";
import { authMessages } from "./auth.messages";
import { AuthStore } from "./authStore";
import type { OidcSettings } from "./provider";
import { carriesAnswer, leftSignIn } from "./returnAddress";
import { storageKey } from "./storedUser";
import { type Auth, AuthContext, type AuthSnapshot } from "./useAuth";

const untilAllTabsKnow = 500;

/** Provides the signed-in user to everything below, and the token to API calls. */
export function AuthProvider({ children }: { children: ReactNode }) {
  const { oidc } = useConfig();
  const queries = useQueryClient();
  const [store] = useState(() => makeStore(oidc));
  const snapshot = useSyncExternalStore(store.subscribe, store.getSnapshot);
  const { state, error } = snapshot;
  const caller = callerOf(snapshot);

  // Before the effects of the pages below, which make the first calls.
  useLayoutEffect(() => connectCalls(store), [store]);
  useEffect(() => keepAlive(store, storageKey(oidc)), [store, oidc]);

  const auth = useMemo<Auth>(
    () => ({
      ...snapshot,
      login: (returnTo = here()) => store.login(returnTo),
      loginBeside: () => store.loginBeside(),
      logout: () => store.logout(),
      prepare: () => store.prepare(),
      complete: (address) => store.complete(address),
      answerParent: async () => (await import("./provider")).answerParent(oidc),
      answerOpener: async () => {
        try {
          await (await import("./provider")).answerOpener(oidc);
        } finally {
          // A window that the browser doesn't let close itself may be used on.
          store.arrived();
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

function makeStore(oidc: OidcSettings): AuthStore {
  return new AuthStore({
    storage: localStorage,
    key: storageKey(oidc),
    origin: location.origin,
    arriving: carriesAnswer(location.href),
    now: () => Date.now(),
    after: (delay, action) => {
      const timer = window.setTimeout(action, delay);
      return () => window.clearTimeout(timer);
    },
    connect: async (onSignedOut) => (await import("./provider")).connect(oidc, onSignedOut),
    exclusively: (work, patience) => oneTabAtATime(`cairn.renew:${storageKey(oidc)}`, work, patience),
    closeSessions: async () => {
      await api.DELETE("/api/v1/rf/sessions/access");
    },
    notify: (title, body) => toast.error(title, body),
  });
}

/**
 * Browsers show another tab's changes to storage with a delay, even under a lock, so the lock is held a moment longer.
 * Without it, a refresh token could be used twice, which a provider may take for theft.
 */
function oneTabAtATime<Result>(lock: string, work: () => Promise<Result>, patience?: number): Promise<Result> {
  return new Promise((resolve, reject) => {
    const turn = async () => {
      const result = await work();
      resolve(result);
      if (result !== "superseded") await new Promise((next) => window.setTimeout(next, untilAllTabsKnow));
    };
    const signal = patience === undefined ? undefined : AbortSignal.timeout(patience);
    navigator.locks
      .request(lock, { ...(signal && { signal }) }, turn)
      .catch((cause) => {
        if (cause !== signal?.reason) throw cause;
        return work().then(resolve);
      })
      .catch(reject);
  });
}

/** Provides the token for calls, and renews a rejected one. */
function connectCalls(store: AuthStore) {
  setTokenSource(() => {
    const accessToken = store.token();
    const { user } = store.getSnapshot();
    return accessToken === null || !user ? undefined : { accessToken, subject: user.subject, email: user.email };
  });
  onTokenRefused((accessToken) => store.recover(accessToken));
}

/** "" for nobody; undefined while unknown. */
function callerOf({ state, user, error }: AuthSnapshot): string | undefined {
  if (state === "anonymous" || error?.kind === "signout") return "";
  return state === "authenticated" ? user?.subject : undefined;
}

/**
 * Renews in time and follows the other tabs. The hidden frame of a silent renewal and the separate sign-in window leave
 * that to the page.
 */
function keepAlive(store: AuthStore, key: string) {
  if (window.parent !== window || leftSignIn(localStorage, location.href).beside) return;
  const stop = store.start();
  const listening = new AbortController();
  const options = { signal: listening.signal };
  const look = () => store.reread();
  // Without a key everything was cleared. Other entries aren't ours: the library writes some at each renewal.
  window.addEventListener("storage", (event) => (event.key === key || event.key === null) && look(), options);
  // Timers pause while a computer sleeps, and a page restored by Back shows its old state.
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
