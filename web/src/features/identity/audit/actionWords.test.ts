import { expect, it } from "vitest";
import { actionWords } from "./actionWords";

// The fields are those of the records that the server answers.
it.each([
  ["account.decide", { enabled: { old: false, new: true } }, "enabled the account"],
  ["account.decide", { enabled: { old: true, new: false } }, "disabled the account"],
  ["account.decide", { role: { old: "user", new: "operator" } }, "granted the operator role to"],
  [
    "account.decide",
    { role: { new: "user" }, enabled: { new: false } },
    "took the operator role from and disabled the account",
  ],
  ["entry.curate", { featured: { old: false, new: true } }, "featured the entry"],
  ["entry.curate", { hidden: { new: true }, hiddenReason: { new: "Spam" } }, "hid the entry"],
  ["entry.curate", { status: { new: "VERIFIED" } }, "verified the entry"],
  ["entry.curate", {}, "featured, verified or hid the entry"],
  ["entry.edit", { hidden: { new: true } }, "edited the entry"],
  ["something.new", {}, "something.new"],
])("%s with %j reads %s", (action, changes, words) => {
  expect(actionWords({ action, changes })).toBe(words);
});
