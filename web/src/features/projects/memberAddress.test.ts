import { expect, it } from "vitest";
import { Problem } from "@/api/problem";
import { addressFault, addressRefusal } from "./memberAddress";

const members = [{ email: "ada@example.org", role: "viewer" as const, since: "2026-01-05T10:00:00Z" }];

it.each([
  ["  ", /Write the e-mail address/],
  [" Ada@Example.org ", /ada@example.org is a member already/],
])("refuses %o", (address, fault) => {
  expect(addressFault(address, members)).toMatch(fault);
});

it("leaves other addresses to the server", () => {
  expect(addressFault("bob@example.org", members)).toBeUndefined();
});

it.each(["path.email", "body.email"])("says what the server says about %s", (location) => {
  const problem = new Problem(422, "The values are invalid.", { fields: [{ location, message: "it's no address" }] });
  expect(addressRefusal(problem)).toBe("It's no address.");
});

it("says why else an address was refused", () => {
  expect(addressRefusal(new Problem(409, "This project has 100 members, the maximum."))).toMatch(/100 members/);
  expect(addressRefusal(null)).toBeUndefined();
});
