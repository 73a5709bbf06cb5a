import { expect, test } from "vitest";
import { rememberHost, takeHost } from "./begunHost";

function storage(): Storage {
  const values = new Map<string, string>();
  return {
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => values.set(key, value),
    removeItem: (key: string) => values.delete(key),
  } as unknown as Storage;
}

test("the host that was begun is returned once", () => {
  const tab = storage();
  rememberHost(tab, "gitlab");
  expect(takeHost(tab)).toBe("gitlab");
  expect(takeHost(tab)).toBeUndefined();
});

test("the last one counts, and other tabs know nothing of it", () => {
  const tab = storage();
  rememberHost(tab, "gitlab");
  rememberHost(tab, "github");
  expect(takeHost(storage())).toBeUndefined();
  expect(takeHost(tab)).toBe("github");
});
