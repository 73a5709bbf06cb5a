import { authMessages } from "./auth.messages";
import { returnAddress } from "./returnAddress";
import { endedUser, parseStoredUser, type StoredUser, timeLeft } from "./storedUser";
import type { AuthError, AuthSnapshot, SignedInUser } from "./useAuth";

/** "superseded": the stored user changed during the renewal, because another tab signed out or in. */
export type Renewal = "renewed" | "refused" | "superseded";

/** The calls to the sign-in library; see provider.ts. Each rejects if the provider can't be reached. */
export interface SignInClient {
  signIn(returnTo: string): Promise<void>;
  /** Signs in through a separate window and stores the user; may never settle if that window is closed. */
  signInBeside(): Promise<void>;
  /** Stores the user from `address` and returns the `returnTo` of `signIn`. */
  complete(address: string): Promise<unknown>;
  renew(): Promise<Renewal>;
  signOut(idToken: string | undefined): Promise<void>;
}

/** The store's dependencies, so that tests can replace the clock and the provider. */
export interface Outside {
  storage: Pick<Storage, "getItem" | "setItem" | "removeItem">;
  /** Where the library keeps the user. */
  key: string;
  origin: string;
  /** Whether this document carries a provider's answer: whoever is stored is about to be replaced. */
  arriving: boolean;
  now(): number;
  /** Runs `action` once after so many milliseconds, unless the returned function is called before. */
  after(delay: number, action: () => void): () => void;
  /** Loads the library and the provider's discovery document. */
  connect(onSignedOut: () => void): Promise<SignInClient>;
  /**
   * Runs `work` while no other tab does, and lets the next one see its stored result first. After `patience`
   * milliseconds it no longer waits for the others.
   */
  exclusively<Result>(work: () => Promise<Result>, patience?: number): Promise<Result>;
  /** Tells the server to end this login's access to running sessions. */
  closeSessions(): Promise<void>;
  notify(title: string, body: string): void;
}

/** The result of a renewal in this tab; "gone" if nobody is signed in anymore. */
type Outcome = "live" | "refused" | "gone" | "unreachable";

const expiringNotice = 60_000;
const firstRetry = 5_000;
const slowestRetry = 60_000;
/** The longest time that a sign-out waits for the server. */
const longestFarewell = 2_000;
/** The longest time that a sign-in waits for another tab's renewal. */
const longestTurn = 2_000;
/** Public pages wait at most this long for a silent provider before they are shown. */
const longestLoading = 3_000;
const longestTimer = 2 ** 31 - 1;

/**
 * Who is signed in. The source of truth is the user in local storage, shared by all tabs; this store follows it, renews the
 * access token in time and derives the state for the page. It depends neither on React nor on the sign-in library, which
 * is loaded on demand: anonymous visitors never download it.
 */
export class AuthStore {
  readonly #outside: Outside;
  readonly #listeners = new Set<() => void>();
  #user: StoredUser | null;
  /** Whom this page last showed as signed in; its page stays when only the sign-in ends. */
  #shown: SignedInUser | undefined;
  #snapshot: AuthSnapshot;
  #arriving: boolean;
  #client: Promise<SignInClient> | null = null;
  #renewal: Promise<Outcome> | null = null;
  #failures = 0;
  #completion: { address: string; returnTo: Promise<string> } | null = null;
  /** The token of the last 401; another 401 for it means that renewing doesn't help. */
  #recovered: string | undefined;
  /** A token that the server refused while the provider couldn't issue another one. */
  #refused: string | undefined;
  #cancelTimer = () => {};
  #cancelWatch = () => {};

  constructor(outside: Outside) {
    this.#outside = outside;
    // The sign-in under way may have ended the stored one at the provider already, so that its tokens are dead.
    this.#arriving = outside.arriving;
    this.#user = this.#arriving ? null : parseStoredUser(this.#stored());
    this.#snapshot = { state: this.#user || this.#arriving ? "loading" : "anonymous" };
    if (this.#user && this.#good(this.#user)) this.#set(signedIn(this.#user));
  }

  readonly subscribe = (listener: () => void) => {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  };

  readonly getSnapshot = (): AuthSnapshot => this.#snapshot;

  /** Starts renewing the sign-in; the returned function stops that. */
  start(): () => void {
    this.reread();
    return () => {
      this.#cancelWatch();
      this.#cancelTimer();
    };
  }

  /** The access token for API calls; null if there is no valid one. */
  token(): string | null {
    const good = this.#snapshot.state === "authenticated" && this.#user && this.#good(this.#user);
    return good ? (this.#user?.accessToken ?? null) : null;
  }

  /** Rereads local storage, because another tab changed it or this tab slept. */
  reread(): void {
    if (this.#arriving) return;
    const stored = this.#stored();
    const user = parseStoredUser(stored);
    this.#user = user;
    this.#cancelTimer();
    this.#cancelWatch();
    if (!user) {
      if (stored === null) this.#set({ state: "anonymous" });
      else this.#end();
    } else if (this.#good(user)) {
      this.#failures = 0;
      this.#set(signedIn(user));
      const left = timeLeft(user, this.#outside.now());
      // Tokens that live less than a minute are renewed soon, but not immediately, which would be a loop.
      this.#renewIn(Math.max(left - expiringNotice, Math.min(left / 2, firstRetry)));
      // If a provider can report when its session ends, the page listens, once it has had time to render.
      if (user.watchable && !this.#client) {
        this.#cancelWatch = this.#outside.after(firstRetry, () => void this.prepare().catch(() => {}));
      }
    } else {
      if (this.#snapshot.state !== "error") {
        this.#set(this.#loading());
        this.#cancelWatch = this.#outside.after(longestLoading, () => this.#tellUnreachable(user));
      }
      this.#renewIn(0);
    }
  }

  /** Called when the server rejected `deadToken`; returns whether to repeat the call with a new token. */
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
      // A refusal says nothing about somebody who has signed in since.
      const stored = this.#storedToken();
      if (stored !== undefined && stored !== deadToken) return this.#adopt() === "live" && this.token() !== null;
      this.#forget();
      this.#set({ state: "anonymous" });
      this.#outside.notify(authMessages.signedOut, authMessages.ended);
    } else if (outcome === "unreachable") {
      this.#refused = deadToken;
      this.#retryLater();
    }
    return false;
  }

  /** Loads the library and the discovery document. */
  async prepare(): Promise<void> {
    await this.#connected();
  }

  /** Signs in through a separate window, so the page keeps its state. Rejects if that fails or the window is blocked. */
  async loginBeside(): Promise<void> {
    const client = await this.#connected();
    await client.signInBeside();
    this.reread();
  }

  async login(returnTo: string): Promise<void> {
    try {
      const client = await this.#connected();
      await client.signIn(returnAddress(returnTo, this.#outside.origin));
    } catch (cause) {
      this.#failed("signin", authMessages.signInFailed, authMessages.signInFailedReason, cause);
    }
  }

  /**
   * Completes a sign-in and returns the address to go to. Rejects if `address` has no valid answer from the provider. A
   * code works once, so calls with the same address share one completion.
   */
  complete(address: string): Promise<string> {
    if (this.#completion?.address !== address) {
      this.#completion = { address, returnTo: this.#complete(address) };
    }
    return this.#completion.returnTo;
  }

  /** Begins to follow the stored user, in a document whose answer from the provider has been dealt with. */
  arrived(): void {
    this.#arriving = false;
    this.reread();
  }

  async logout(): Promise<void> {
    const idToken = this.#user?.idToken;
    // With the token, so before the user is removed; if revoking fails, people are signed out anyway.
    if (this.token() !== null) await this.#farewell();
    // Shown as loading until the browser has left, or a guarded page would briefly show the sign-in page.
    this.#set({ state: "loading" });
    this.#shown = undefined;
    this.#forget();
    try {
      const client = await this.#connected();
      await client.signOut(idToken);
    } catch (cause) {
      this.#failed("signout", authMessages.signOutFailed, authMessages.signOutFailedReason, cause);
    }
  }

  async #complete(address: string): Promise<string> {
    try {
      const client = await this.#connected();
      // In turn with other tabs' renewals: one of them, for the person before, must not overwrite the new one.
      const returnTo = await this.#outside.exclusively(() => client.complete(address), longestTurn);
      return returnAddress(returnTo, this.#outside.origin);
    } finally {
      this.arrived();
    }
  }

  #farewell(): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#outside.after(longestFarewell, resolve);
      this.#outside
        .closeSessions()
        .catch(() => {})
        .finally(() => {
          cancel();
          resolve();
        });
    });
  }

  #connected(): Promise<SignInClient> {
    this.#client ??= this.#outside
      .connect(() => this.#providerSessionEnded())
      .catch((cause) => {
        console.warn("The sign-in service cannot be reached", cause);
        this.#client = null;
        throw cause;
      });
    return this.#client;
  }

  #providerSessionEnded() {
    // Browsers that block the provider's cookies in frames report this wrongly: a renewal shows whether it is true.
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
    if (outcome === "refused") {
      this.reread();
    }
  }

  /** Ends the sign-in without a sign-out: a page in use stays and offers to sign in. */
  #end() {
    const user = this.#shown;
    const error = { kind: "ended", message: authMessages.ended } as const;
    this.#set(user ? { state: "error", user, error } : { state: "anonymous" });
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
        // Another tab was first: its token serves, or its sign-out counts.
        const stored = this.#storedToken();
        if (stored === undefined || stored !== dead) return "superseded";
        const result = await (await this.#connected()).renew();
        if (result !== "refused") return result;
        // That refusal doesn't affect people who signed in or out in the meantime.
        if (this.#storedToken() !== dead) return "superseded";
        // Replaces the user before other tabs try to renew, so that they keep their pages too.
        this.#outside.storage.setItem(this.#outside.key, endedUser);
        return "refused";
      });
      return renewal === "refused" ? "refused" : this.#adopt();
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
    if (user && !this.#good(user)) this.#tellUnreachable(user);
    this.#renewIn(Math.min(firstRetry * 2 ** this.#failures, slowestRetry));
    this.#failures += 1;
  }

  #tellUnreachable(user: StoredUser) {
    const error = { kind: "unreachable", message: authMessages.unreachable } as const;
    this.#set({ state: "error", user: shownOf(user), error });
  }

  #failed(kind: AuthError["kind"], title: string, message: string, cause: unknown) {
    console.error(title, cause);
    if (this.#snapshot.state !== "authenticated" && this.#snapshot.error?.kind !== "ended") {
      this.#set({ state: "error", error: { kind, message } });
    }
    this.#outside.notify(title, message);
  }

  /** Forgets the user, for all tabs. */
  #forget() {
    this.#cancelTimer();
    this.#cancelWatch();
    this.#user = null;
    this.#outside.storage.removeItem(this.#outside.key);
  }

  #stored(): string | null {
    return this.#outside.storage.getItem(this.#outside.key);
  }

  #storedToken(): string | undefined {
    return parseStoredUser(this.#stored())?.accessToken;
  }

  #good(user: StoredUser): boolean {
    return timeLeft(user, this.#outside.now()) > 0 && user.accessToken !== this.#refused;
  }

  #loading(): AuthSnapshot {
    return this.#shown ? { state: "loading", user: this.#shown } : { state: "loading" };
  }

  #set(next: AuthSnapshot) {
    if (JSON.stringify(next) === JSON.stringify(this.#snapshot)) {
      return;
    }
    this.#snapshot = next;
    if (next.state === "authenticated") this.#shown = next.user;
    if (next.state === "anonymous") this.#shown = undefined;
    for (const listener of this.#listeners) listener();
  }
}

function shownOf({ subject, email, name }: StoredUser) {
  return { subject, email, name };
}

function signedIn(user: StoredUser): AuthSnapshot {
  return { state: "authenticated", user: shownOf(user) };
}
