import { expect, it } from "vitest";
import { notEnabled } from "./notEnabled";

const account = { email: "new@example.org", name: "", enabled: false, operator: false, waiting: 0 };

it("says whose account it is and whom to ask", () => {
  expect(notEnabled(account, "ops@example.org")).toMatch(
    /enable your account \(new@example\.org\).*Ask ops@example\.org\./,
  );
  expect(notEnabled(account, "")).toMatch(/Ask the operators of this server\./);
});

it("sends those without a verified address to their provider", () => {
  expect(notEnabled({ ...account, email: "" }, "ops@example.org")).toMatch(/no verified e-mail/);
});

it("is silent for those who may, and while it is not known", () => {
  expect(notEnabled({ ...account, enabled: true }, "x")).toBeUndefined();
  expect(notEnabled(undefined, "x")).toBeUndefined();
});
