import { expect, it } from "vitest";
import { actionWords } from "./actionWords";

it.each([
  ["account.decide", { "account_grant.enabled": { old: false, new: true } }, "enabled the account"],
  ["account.decide", { "account_grant.enabled": { old: true, new: false } }, "disabled the account"],
  ["account.decide", { "account_grant.role": { old: "user", new: "operator" } }, "granted the operator role to"],
  [
    "account.decide",
    { "account_grant.role": { new: "user" }, "account_grant.enabled": { new: false } },
    "took the operator role from and disabled the account",
  ],
  ["entry.curate", { "resource.featured_at": { old: false, new: true } }, "featured the entry"],
  ["entry.curate", { "resource.hidden": { new: true }, "resource.hidden_reason": { new: "Spam" } }, "hid the entry"],
  ["entry.curate", { "resource.status": { new: "VERIFIED" } }, "verified the entry"],
  ["entry.curate", {}, "featured, verified or hid the entry"],
  ["entry.edit", { "resource.hidden": { new: true } }, "edited the entry"],
  ["something.new", {}, "something.new"],
])("%s with %j reads %s", (action, changes, words) => {
  expect(actionWords({ action, changes })).toBe(words);
});
