import { expect, test, vi } from "vitest";
import { toast, toastStore } from "./toast";

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
