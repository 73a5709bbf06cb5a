import { expect, test } from "vitest";
import { changes, stateOf } from "./accountChanges";

const person = { email: "a@example.org", name: "", enabled: false, role: "user", decided: false } as const;
const seenAt = "2025-11-03T10:00:00Z";

test.each([
  ["signed in, nobody decided", { ...person, seenAt }, "Waiting"],
  ["an operator said no", { ...person, decided: true, seenAt }, "Disabled"],
  ["an operator said yes", { ...person, decided: true, enabled: true, seenAt }, "Enabled"],
  ["the policy says yes", { ...person, enabled: true, seenAt }, "Enabled"],
  ["never seen", person, "Not enabled"],
])("%s: %s", (_, who, label) => {
  expect(stateOf(who).label).toBe(label);
});

test("what takes something away is asked first, and disabling says what stops and what is kept", () => {
  expect(changes.enable.question).toBeUndefined();
  expect(changes.disable.question?.consequence).toMatch(
    /sessions are stopped within ten seconds, and their work is kept/,
  );
  expect(changes.demote.question?.danger).toBe(true);
});

test("an operator can start sessions too, as with the command line", () => {
  expect(changes.promote.decision).toEqual({ enabled: true, role: "operator" });
});
