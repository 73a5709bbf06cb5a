import { afterEach, expect, test, vi } from "vitest";
import { toast, toastStore } from "./toast";

// The tests of other files share the store.
afterEach(() => {
  for (const { id } of toastStore.get()) toast.dismiss(id);
});

test("toasts come in order, tell their listeners and go when dismissed", () => {
  const listener = vi.fn();
  const unsubscribe = toastStore.subscribe(listener);
  const first = toast.loading("Starting");
  toast.error("Error starting session", "Not enabled yet.", { label: "Open", href: "/x" });
  expect(toastStore.get().map(({ kind, title, body }) => [kind, title, body])).toEqual([
    ["loading", "Starting", undefined],
    ["error", "Error starting session", "Not enabled yet."],
  ]);
  toast.dismiss(first);
  expect(toastStore.get().map(({ title }) => title)).toEqual(["Error starting session"]);
  expect(listener).toHaveBeenCalledTimes(3);
  unsubscribe();
  toast.info("unheard");
  expect(listener).toHaveBeenCalledTimes(3);
});

test("what is said again is shown once, as the latest", () => {
  const first = toast.error("Error", "Failed to add repository");
  toast.error("Error", "Failed to sync resource");
  const second = toast.error("Error", "Failed to add repository");
  expect(second).not.toBe(first);
  expect(toastStore.get().map(({ id, body }) => [id === second, body])).toEqual([
    [false, "Failed to sync resource"],
    [true, "Failed to add repository"],
  ]);
});

test("of many the latest are shown", () => {
  for (const title of ["one", "two", "three", "four", "five", "six"]) toast.info(title);
  expect(toastStore.get().map(({ title }) => title)).toEqual(["three", "four", "five", "six"]);
});
