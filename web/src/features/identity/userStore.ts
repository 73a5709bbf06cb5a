import { WebStorageStateStore } from "oidc-client-ts";

/** Another tab signed out or in while a renewal was under way. */
export class Superseded extends Error {}

/** Keeps the user in local storage, and lets no renewal bring a user back who has meanwhile signed out elsewhere. */
export class UserStore extends WebStorageStateStore {
  readonly #storage: Storage;
  #guarded: { item: string; value: string | null } | null = null;

  constructor(storage: Storage) {
    super({ store: storage });
    this.#storage = storage;
  }

  /** Until the returned function is called, `set` throws Superseded once `item` was changed by anybody else. */
  guard(item: string): () => void {
    this.#guarded = { item, value: this.#storage.getItem(item) };
    return () => {
      this.#guarded = null;
    };
  }

  override async set(key: string, value: string): Promise<void> {
    const guarded = this.#guarded;
    if (guarded && this.#storage.getItem(guarded.item) !== guarded.value) {
      throw new Superseded();
    }
    await super.set(key, value);
    if (guarded) {
      guarded.value = this.#storage.getItem(guarded.item);
    }
  }
}
