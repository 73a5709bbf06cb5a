import { api } from "@/api/client";
import { toast } from "@/ui/toast";
import { AuthStore } from "./authStore";
import { carriesAnswer, storageKey } from "./knownSignIn";
import type { OidcSettings } from "./provider";
import { leftSignIn } from "./returnAddress";

const untilAllTabsKnow = 500;

/** Returns the store of this browser's sign-in, and how to follow what other tabs do. */
export function load(oidc: OidcSettings) {
  const store = makeStore(oidc);
  return { store, follow: () => follow(store, storageKey(oidc)) };
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

/**
 * Renews in time and follows the other tabs. The hidden frame of a silent renewal and the separate sign-in window leave
 * that to the page.
 */
function follow(store: AuthStore, key: string): () => void {
  if (window.parent !== window || leftSignIn(localStorage, location.href).beside) return () => {};
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
