import { expect, test } from "vitest";
import { accountInterval } from "./useAccount";

const account = { email: "a@example.org", name: "", enabled: true, operator: false, mayHost: false, waiting: 0 };

test.each([
  ["an account that waits", { ...account, enabled: false }, 60_000],
  ["an operator", { ...account, operator: true }, 60_000],
  ["everybody else", account, false],
  ["an account that is not known yet", undefined, false],
])("%s is looked at again: %s", (_, known, interval) => {
  expect(accountInterval(known)).toBe(interval);
});
