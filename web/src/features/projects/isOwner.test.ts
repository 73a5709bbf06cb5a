import { expect, it } from "vitest";
import { isOwner } from "./isOwner";

const user = (email: string) => ({ subject: "s", name: "", email });

it.each([
  ["Ada@Example.org", "ada@example.org", true],
  ["ada@example.org", "bob@example.org", false],
  ["", "", false],
])("%s and a project of %s: %s", (email, ownerId, owns) => {
  expect(isOwner(user(email), { ownerId })).toBe(owns);
});

it("is nobody who is not signed in", () => {
  expect(isOwner(undefined, { ownerId: "ada@example.org" })).toBe(false);
});
