import { expect, it } from "vitest";
import { Superseded, UserStore } from "./userStore";

const item = "oidc.user:i:c";

function memoryStorage(): Storage {
  const items = new Map<string, string>();
  return {
    get length() {
      return items.size;
    },
    key: (index) => [...items.keys()][index] ?? null,
    getItem: (name) => items.get(name) ?? null,
    setItem: (name, value) => void items.set(name, value),
    removeItem: (name) => void items.delete(name),
    clear: () => items.clear(),
  };
}

it("stores a renewed user, more than once", async () => {
  const storage = memoryStorage();
  storage.setItem(item, "old");
  const store = new UserStore(storage);
  store.guard(item);
  await store.set("user:i:c", "renewed");
  await store.set("user:i:c", "renewed, with e-mail");
  expect(storage.getItem(item)).toBe("renewed, with e-mail");
});

it("does not revive a login that ended in another tab (incomplete logout)", async () => {
  const storage = memoryStorage();
  storage.setItem(item, "old");
  const store = new UserStore(storage);
  store.guard(item);
  storage.removeItem(item);
  await expect(store.set("user:i:c", "renewed")).rejects.toThrow(Superseded);
  expect(storage.getItem(item)).toBeNull();
});

it("does not replace somebody who signed in in another tab", async () => {
  const storage = memoryStorage();
  storage.setItem(item, "old");
  const store = new UserStore(storage);
  store.guard(item);
  storage.setItem(item, "somebody else");
  expect(() => store.check()).toThrow(Superseded);
  await expect(store.set("user:i:c", "renewed")).rejects.toThrow(Superseded);
  expect(storage.getItem(item)).toBe("somebody else");
});

it("stands aside when no renewal is under way", async () => {
  const storage = memoryStorage();
  const store = new UserStore(storage);
  const release = store.guard(item);
  storage.setItem(item, "other");
  release();
  store.check();
  await store.set("user:i:c", "new sign-in");
  expect(storage.getItem(item)).toBe("new sign-in");
});
