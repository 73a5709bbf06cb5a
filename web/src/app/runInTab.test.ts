import { expect, test } from "vitest";
import { takeRequest } from "@/features/sessions/openRequest";
import type { RunTarget } from "@/ui/run";
import { returnTo } from "./runInTab";

const target: RunTarget = { id: "0b5c", name: "Spikes", of: "entry", options: { file: "a #1.ipynb" } };
const itsPage = { pathname: "/run/0b5c", search: "?file=a%20%231.ipynb&x=1" };

function memoryStore() {
  const items = new Map<string, string>();
  return {
    get length() {
      return items.size;
    },
    key: (index: number) => [...items.keys()][index] ?? null,
    getItem: (name: string) => items.get(name) ?? null,
    setItem: (name: string, value: string) => void items.set(name, value),
    removeItem: (name: string) => void items.delete(name),
  };
}

test("a visitor who followed a link comes back to the page of the run, with all that its address has", () => {
  const store = memoryStore();
  expect(returnTo(target, itsPage, true, store)).toBe("/run/0b5c?file=a%20%231.ipynb&x=1");
  expect(store.length).toBe(0);
});

test("a visitor who pressed Run on a page of ours comes to the session", () => {
  for (const [page, fromElsewhere] of [
    [itsPage, false],
    [{ pathname: "/resources", search: "?tags=b" }, false],
    [{ pathname: "/resources/notebooks/0b5c", search: "" }, true],
  ] as const) {
    const store = memoryStore();
    const address = new URL(returnTo(target, page, fromElsewhere, store), "https://cairn.example.org");
    expect(address.pathname).toBe("/open");
    expect(takeRequest(memoryStore(), store, address.hash, Date.now())?.request).toEqual({
      do: "run",
      wish: { resourceId: "0b5c", file: "a #1.ipynb" },
      title: "Spikes",
    });
  }
});
