import { expect, it } from "vitest";
import { askOperators, notEnabled } from "./notEnabled";

const account = { email: "new@example.org", name: "", enabled: false, operator: false, mayHost: false, waiting: 0 };

it("says whose account it is and whom to ask", () => {
  expect(notEnabled(account, "ops@example.org")).toMatch(
    /enable your account \(new@example\.org\).*Ask ops@example\.org\./,
  );
  expect(notEnabled(account, "")).toMatch(/Ask the operators of this server\./);
});

it("sends those without a verified address to their provider", () => {
  expect(notEnabled({ ...account, email: "" }, "ops@example.org")).toMatch(/doesn't share a verified e-mail/);
});

it("is silent for those who may, and while it is not known", () => {
  expect(notEnabled({ ...account, enabled: true }, "x")).toBeUndefined();
  expect(notEnabled(undefined, "x")).toBeUndefined();
});

it("prepares the message that asks for it", () => {
  const ask = askOperators(account, "ops+cairn@example.org");
  const { protocol, pathname, searchParams } = new URL((ask && "href" in ask && ask.href) || "");
  expect([protocol, decodeURIComponent(pathname)]).toEqual(["mailto:", "ops+cairn@example.org"]);
  expect(searchParams.get("subject")).toMatch(/enable/);
  expect(searchParams.get("body")).toContain("new@example.org");
  expect(askOperators(account, "https://help.example.org/")).toEqual({ href: "https://help.example.org/" });
});

it("says what to do where the operators publish no address", () => {
  expect(askOperators(account, "")).toEqual({
    advice: expect.stringMatching(/new@example\.org.* the person who invited you/),
  });
  expect(askOperators(account, "Room 12")).toEqual({ advice: expect.stringContaining("Room 12") });
});

it("asks nobody when the operators can't help", () => {
  expect(askOperators({ ...account, email: "" }, "ops@example.org")).toBeUndefined();
  expect(askOperators({ ...account, enabled: true }, "ops@example.org")).toBeUndefined();
  expect(askOperators(undefined, "ops@example.org")).toBeUndefined();
});
