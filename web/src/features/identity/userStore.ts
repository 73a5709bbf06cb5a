import { WebStorageStateStore } from "oidc-client-ts";

/** Another tab signed out or in while a renewal was under way. */
export class Superseded extends Error {}

/** Keeps the user in local storage, and prevents a renewal from restoring a user who has signed out elsewhere. */
export class UserStore extends WebStorageStateStore {
  readonly #storage: Storage;
  #guarded: { item: string; value: string | null } | null = null;

  constructor(storage: Storage) {
    super({ store: storage });
    this.#storage = storage;
  }

  /**
   * Until the returned function is called, `check` and `set` throw Superseded after another tab changed `item`. Browsers
   * show another tab's changes with a delay, even under a lock.
   */
  guard(item: string): () => void {
    this.#guarded = { item, value: this.#storage.getItem(item) };
    return () => {
      this.#guarded = null;
    };
  }

  check(): void {
    if (this.#guarded && this.#storage.getItem(this.#guarded.item) !== this.#guarded.value) {
      throw new Superseded();
    }
  }

  override async set(key: string, value: string): Promise<void> {
    this.check();
    await super.set(key, value);
    if (this.#guarded) {
      this.#guarded.value = this.#storage.getItem(this.#guarded.item);
    }
  }
}
