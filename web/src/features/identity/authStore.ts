import { returnAddress } from "./returnAddress";
import { parseStoredUser, type StoredUser, timeLeft } from "./storedUser";
import type { AuthError, AuthSnapshot } from "./useAuth";

/** "superseded": the stored user changed while the renewal was under way, because another tab signed out or in. */
export type Renewal = "renewed" | "refused" | "superseded";

/** What the sign-in library does for us; see provider.ts. Each call rejects when the provider cannot be reached. */
export interface SignInClient {
  signIn(returnTo: string): Promise<void>;
  /** Stores the user whom `address` brings and gives the `returnTo` of `signIn` back. */
  complete(address: string): Promise<unknown>;
  renew(): Promise<Renewal>;
  signOut(idToken: string | undefined): Promise<void>;
}

/** Everything outside of the store, so that tests can move the clock and be the provider. */
export interface Outside {
  storage: Pick<Storage, "getItem" | "removeItem">;
  /** Where the library keeps the user. */
  key: string;
  origin: string;
  now(): number;
  /** Runs `action` once after so many milliseconds, unless the returned function is called before. */
  after(delay: number, action: () => void): () => void;
  /** Loads the library and the provider's discovery document. */
  connect(onSignedOut: () => void): Promise<SignInClient>;
  /** Runs `work` while no other tab does. */
  exclusively<T>(work: () => Promise<T>): Promise<T>;
  /** Tells the gateway to end this login's access to running sessions. */
  closeSessions(): Promise<void>;
  notify(title: string, body: string): void;
}

/** How a renewal went, for this tab: "gone" when nobody is signed in any more. */
type Outcome = "live" | "refused" | "gone" | "unreachable";

const expiringNotice = 60_000;
const firstRetry = 5_000;
const slowestRetry = 60_000;
const longestTimer = 2 ** 31 - 1;

const ended = "Your sign-in has ended. Sign in again to go on.";
const unreachable = "The sign-in service cannot be reached. It is tried again by itself.";

/**
 * Who is signed in. The truth is the user in local storage, shared by all tabs; this store follows it, renews the
 * access token in time and says what the page may show. It knows neither React nor the sign-in library, which is
 * loaded only when it is needed: anonymous visitors never download it.
 */
export class AuthStore {
  readonly #outside: Outside;
  readonly #listeners = new Set<() => void>();
  #user: StoredUser | null;
  #snapshot: AuthSnapshot;
  #client: Promise<SignInClient> | null = null;
  #renewal: Promise<Outcome> | null = null;
  #failures = 0;
  #completion: { address: string; returnTo: Promise<string> } | null = null;
  /** The token that the last 401 brought; another 401 for it means that renewing does not help. */
  #recovered: string | undefined;
  #cancelTimer = () => {};

  constructor(outside: Outside) {
    this.#outside = outside;
    this.#user = this.#read();
    this.#snapshot = this.#user
      ? this.#expired(this.#user)
        ? { state: "loading" }
        : signedIn(this.#user)
      : { state: "anonymous" };
  }

  readonly subscribe = (listener: () => void) => {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  };

  readonly getSnapshot = (): AuthSnapshot => this.#snapshot;

  /** Starts to keep the sign-in alive; the returned function stops that. */
  start(): () => void {
    this.reread();
    // A provider that can tell when its session ends is listened to, once the page has had time to show.
    const cancel = this.#user?.watchable
      ? this.#outside.after(firstRetry, () => void this.prepare().catch(() => {}))
      : () => {};
    return () => {
      cancel();
      this.#cancelTimer();
    };
  }

  /** The access token for calls of the gateway; null when there is none that is good. */
  token(): string | null {
    const good = this.#snapshot.state === "authenticated" && this.#user && !this.#expired(this.#user);
    return good ? (this.#user?.accessToken ?? null) : null;
  }

  /** Looks at local storage again: another tab changed it, or this tab slept. */
  reread(): void {
    const before = this.#user;
    const user = this.#read();
    this.#user = user;
    this.#cancelTimer();
    if (!user) {
      this.#set({ state: "anonymous" });
      return;
    }
    const left = timeLeft(user, this.#outside.now());
    if (left > 0 && !(this.#snapshot.error?.kind === "ended" && user.accessToken === before?.accessToken)) {
      this.#failures = 0;
      this.#set(signedIn(user));
      // Tokens that live less than a minute are renewed soon, yet not at once: that would be a loop.
      this.#renewIn(Math.max(left - expiringNotice, Math.min(left / 2, firstRetry)));
    } else if (this.#snapshot.error?.kind !== "ended" || user.accessToken !== before?.accessToken) {
      if (this.#snapshot.state !== "error") this.#set({ state: "loading" });
      this.#renewIn(0);
    }
  }

  /** Asked for by a call that `deadToken` was refused for: true when it is worth another try with a new token. */
  async recover(deadToken: string): Promise<boolean> {
    if (this.#user && this.#user.accessToken !== deadToken && this.token() !== null) {
      return true;
    }
    const outcome = deadToken === this.#recovered ? "refused" : await this.#renew();
    if (outcome === "live") {
      this.#recovered = this.#user?.accessToken;
      return this.token() !== null;
    }
    if (outcome === "refused" && this.#user) {
      this.#forget();
      this.#set({ state: "anonymous" });
      this.#outside.notify("You have been signed out", ended);
    } else if (outcome === "unreachable") {
      this.#retryLater();
    }
    return false;
  }

  /** Loads the library and the discovery document. */
  async prepare(): Promise<void> {
    await this.#connected();
  }

  async login(returnTo: string): Promise<void> {
    try {
      const client = await this.#connected();
      await client.signIn(returnAddress(returnTo, this.#outside.origin));
    } catch (cause) {
      this.#failed(
        "signin",
        "Sign-in is unavailable",
        "The sign-in service cannot be reached. Try again in a moment.",
        cause,
      );
    }
  }

  /**
   * Gives the address to go to. Rejects when `address` brings no valid answer of the provider.
   * A code serves once, so the same address asked for again is the same completion.
   */
  complete(address: string): Promise<string> {
    if (this.#completion?.address !== address) {
      this.#completion = { address, returnTo: this.#complete(address) };
    }
    return this.#completion.returnTo;
  }

  async logout(): Promise<void> {
    const idToken = this.#user?.idToken;
    // With the token, so before the user is forgotten; those who may not or cannot be told do not keep anybody here.
    if (this.token() !== null) await this.#outside.closeSessions().catch(() => {});
    // Shown as loading until the browser has left: a guarded page would go to the sign-in page for a moment.
    this.#set({ state: "loading" });
    this.#forget();
    try {
      const client = await this.#connected();
      await client.signOut(idToken);
    } catch (cause) {
      this.#failed(
        "signout",
        "Signed out here only",
        "The sign-in service cannot be reached, so its own session may go on. Close the browser on a shared computer.",
        cause,
      );
    }
  }

  async #complete(address: string): Promise<string> {
    const client = await this.#connected();
    const returnTo = await client.complete(address);
    this.reread();
    return returnAddress(returnTo, this.#outside.origin);
  }

  #connected(): Promise<SignInClient> {
    this.#client ??= this.#outside
      .connect(() => this.#providerSessionEnded())
      .catch((cause) => {
        this.#client = null;
        throw cause;
      });
    return this.#client;
  }

  #providerSessionEnded() {
    // Browsers that block the provider's cookies in frames report this wrongly: a renewal tells whether it is true.
    if (this.#snapshot.state === "authenticated") {
      this.#renewIn(0);
    }
  }

  #renewIn(delay: number) {
    this.#cancelTimer();
    if (Number.isFinite(delay)) {
      this.#cancelTimer = this.#outside.after(Math.min(delay, longestTimer), () => void this.#renewInTime());
    }
  }

  async #renewInTime() {
    const outcome = await this.#renew();
    if (outcome === "unreachable") {
      this.#retryLater();
    }
    if (outcome !== "refused" || !this.#user) {
      return;
    }
    if (this.#snapshot.state === "authenticated") {
      // The stored user stays: other tabs find out by themselves, and each keeps its page until then.
      this.#set({ state: "error", user: shown(this.#user), error: { kind: "ended", message: ended } });
    } else {
      this.#forget();
      this.#set({ state: "anonymous" });
    }
  }

  #renew(): Promise<Outcome> {
    this.#renewal ??= this.#renewOnce().finally(() => {
      this.#renewal = null;
    });
    return this.#renewal;
  }

  async #renewOnce(): Promise<Outcome> {
    const dead = this.#user?.accessToken;
    try {
      const renewal = await this.#outside.exclusively(async (): Promise<Renewal> => {
        const stored = this.#read();
        // Another tab was first: its token serves, or its sign-out counts.
        if (!stored || stored.accessToken !== dead) return "superseded";
        return (await this.#connected()).renew();
      });
      if (renewal === "refused") {
        return this.#read() ? "refused" : this.#adopt();
      }
      return this.#adopt();
    } catch (cause) {
      console.error("The sign-in could not be renewed", cause);
      return "unreachable";
    }
  }

  #adopt(): Outcome {
    this.reread();
    return this.#user ? "live" : "gone";
  }

  #retryLater() {
    const user = this.#user;
    if (user && this.#expired(user)) {
      this.#set({ state: "error", user: shown(user), error: { kind: "unreachable", message: unreachable } });
    }
    this.#renewIn(Math.min(firstRetry * 2 ** this.#failures, slowestRetry));
    this.#failures += 1;
  }

  #failed(kind: AuthError["kind"], title: string, message: string, cause: unknown) {
    console.error(title, cause);
    if (this.#snapshot.state !== "authenticated") {
      this.#set({ state: "error", error: { kind, message } });
    }
    this.#outside.notify(title, message);
  }

  /** Forgets the user, for all tabs. */
  #forget() {
    this.#cancelTimer();
    this.#user = null;
    this.#outside.storage.removeItem(this.#outside.key);
  }

  #read(): StoredUser | null {
    return parseStoredUser(this.#outside.storage.getItem(this.#outside.key));
  }

  #expired(user: StoredUser): boolean {
    return timeLeft(user, this.#outside.now()) <= 0;
  }

  #set(next: AuthSnapshot) {
    if (JSON.stringify(next) === JSON.stringify(this.#snapshot)) {
      return;
    }
    this.#snapshot = next;
    for (const listener of this.#listeners) listener();
  }
}

function shown({ subject, email, name }: StoredUser) {
  return { subject, email, name };
}

function signedIn(user: StoredUser): AuthSnapshot {
  return { state: "authenticated", user: shown(user) };
}
