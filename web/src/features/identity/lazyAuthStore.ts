import type { AuthStore } from "./authStore";
import type { AuthSnapshot } from "./useAuth";

/** The whole store, and how to begin to follow what other tabs do. */
interface Loaded {
  store: AuthStore;
  /** The returned function stops it. */
  follow(): () => void;
}

/** The store's dependencies, so that tests can replace the browser. */
interface Outside {
  /** Whether somebody is or was signed in, or the address carries a provider's answer. */
  knowsSomebody(): boolean;
  load(): Promise<Loaded>;
  /** Calls `look` when another tab may have signed somebody in, until the returned function is called. */
  watch(look: () => void): () => void;
}

const nobody: AuthSnapshot = { state: "anonymous" };

/** Who is signed in, according to an AuthStore that is loaded once there is somebody: most visitors don't need its code. */
export class LazyAuthStore {
  readonly #outside: Outside;
  readonly #listeners = new Set<() => void>();
  #loaded: Loaded | undefined;
  #loading: Promise<AuthStore> | undefined;
  /** Stops following; undefined while nothing is followed. */
  #stop: (() => void) | undefined;

  constructor(outside: Outside) {
    this.#outside = outside;
  }

  readonly subscribe = (listener: () => void) => {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  };

  readonly getSnapshot = (): AuthSnapshot => this.#loaded?.store.getSnapshot() ?? nobody;

  /** The access token for API calls; null if there is no valid one. */
  token(): string | null {
    return this.#loaded?.store.token() ?? null;
  }

  /** Loads the whole store if somebody is known, so that the first rendering shows who is signed in. */
  async arrive(): Promise<void> {
    if (this.#outside.knowsSomebody()) await this.whole();
  }

  /** Follows the sign-ins of this browser; the returned function stops that. */
  start(): () => void {
    this.#stop = this.#loaded?.follow() ?? this.#outside.watch(() => void this.arrive().catch(() => {}));
    return () => {
      this.#stop?.();
      this.#stop = undefined;
    };
  }

  /** Returns the whole store. It rejects if its code can't be loaded, and tries again when it is called next. */
  whole(): Promise<AuthStore> {
    this.#loading ??= this.#outside.load().then(
      (loaded) => {
        this.#loaded = loaded;
        loaded.store.subscribe(() => this.#tell());
        if (this.#stop) {
          this.#stop();
          this.#stop = loaded.follow();
        }
        this.#tell();
        return loaded.store;
      },
      (cause) => {
        this.#loading = undefined;
        throw cause;
      },
    );
    return this.#loading;
  }

  #tell() {
    for (const listener of this.#listeners) listener();
  }
}
