import { expect, test, vi } from "vitest";
import { LazyAuthStore } from "./lazyAuthStore";
import { minute, world } from "./testWorld";

/** A store whose whole is loaded from a world. */
function lazy(known: boolean) {
  const outside = world();
  let look = () => {};
  const browser = { known, watched: 0, followed: 0 };
  const load = vi.fn(async () => {
    const store = outside.tab();
    const follow = () => {
      browser.followed++;
      const stop = store.start();
      return () => {
        browser.followed--;
        stop();
      };
    };
    return { store, follow };
  });
  const store = new LazyAuthStore({
    knowsSomebody: () => browser.known,
    load,
    watch: (next) => {
      browser.watched++;
      look = next;
      return () => {
        browser.watched--;
      };
    },
  });
  return { outside, browser, load, store, look: () => look() };
}

test("nothing is loaded for a visitor who isn't signed in", async () => {
  const { store, load, look, browser } = lazy(false);
  await store.arrive();
  const stop = store.start();
  look();
  expect(store.getSnapshot()).toEqual({ state: "anonymous" });
  expect(store.token()).toBeNull();
  expect(load).not.toHaveBeenCalled();
  stop();
  expect(browser.watched).toBe(0);
});

test("somebody who is signed in is known before the first rendering", async () => {
  const { store, outside, browser } = lazy(true);
  outside.store("t1", 10 * minute);
  await store.arrive();
  expect(store.getSnapshot().state).toBe("authenticated");
  expect(store.token()).toBe("t1");
  const stop = store.start();
  expect(browser).toMatchObject({ followed: 1, watched: 0 });
  stop();
  expect(browser.followed).toBe(0);
});

test("a sign-in in another tab loads the whole store, which follows from then on", async () => {
  const { store, outside, browser, look } = lazy(false);
  const stop = store.start();
  const told = vi.fn();
  const forget = store.subscribe(told);
  outside.store("t1", 10 * minute);
  browser.known = true;
  look();
  await vi.waitFor(() => expect(store.token()).toBe("t1"));
  expect(told).toHaveBeenCalled();
  expect(browser).toMatchObject({ followed: 1, watched: 0 });
  forget();
  stop();
  expect(browser.followed).toBe(0);
});

test("code that can't be loaded is loaded when it is needed next", async () => {
  const { store, load } = lazy(true);
  load.mockRejectedValueOnce(new Error("offline"));
  await expect(store.arrive()).rejects.toThrow("offline");
  expect(store.getSnapshot()).toEqual({ state: "anonymous" });
  await store.whole();
  await store.whole();
  expect(load).toHaveBeenCalledTimes(2);
});
