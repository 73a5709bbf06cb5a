import { expect, test } from "vitest";
import { forgetLink, forgetLinkOf, keepFollowed, linkOf, linkToFollow, waitingLink } from "./link";

function storeOf(stored: Record<string, string> = {}) {
  const all = new Map(Object.entries(stored));
  return {
    all,
    getItem: (key: string) => all.get(key) ?? null,
    setItem: (key: string, value: string) => void all.set(key, value),
    removeItem: (key: string) => void all.delete(key),
  };
}

test("a link that was followed belongs to its session, and to no other one", () => {
  const store = storeOf({ [waitingLink]: "#S" });
  expect(linkToFollow(store)).toBe("S");
  keepFollowed("one", store);
  expect(linkToFollow(store)).toBeUndefined();
  expect(linkOf("one", store)).toBe("S");
  expect(linkOf("two", store)).toBeUndefined();
  forgetLinkOf("one", store);
  expect(store.all.size).toBe(0);
});

test("a link that leads nowhere is forgotten", () => {
  const store = storeOf({ [waitingLink]: "#S" });
  forgetLink(store);
  expect(store.all.size).toBe(0);
  keepFollowed("one", store);
  expect(store.all.size).toBe(0);
});
