import { expect, it } from "vitest";
import { isOffered, mayChange, roleOf } from "./role";

const user = { subject: "s", name: "", email: "ada@example.org" };

it.each([
  ["owner", true],
  ["editor", true],
  ["viewer", false],
  [undefined, false],
] as const)("%s may change a project: %s", (role, may) => {
  expect(mayChange(role)).toBe(may);
});

it("is nothing for somebody who is not signed in, or not anymore", () => {
  expect(roleOf(user, { role: "owner" })).toBe("owner");
  expect(roleOf(undefined, { role: "owner" })).toBeUndefined();
});

it.each([
  ["owner", false],
  ["editor", true],
  [undefined, true],
] as const)("a project that is on offer is offered to its %s: %s", (role, offered) => {
  const project = { offeredTo: "ada@example.org", ...(role && { role }) };
  expect(isOffered(user, project)).toBe(offered);
  expect(isOffered(undefined, project)).toBe(false);
});
