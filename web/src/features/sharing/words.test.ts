import { expect, test } from "vitest";
import { endText, whomText } from "./words";

test.each([
  ["bob@example.org", { with: { email: "bob@example.org" } }],
  ["Members of Waves", { with: { project: "p" }, projectName: "Waves" }],
  ["Members of a project that no longer exists", { with: { project: "p" } }],
  ["Whoever has the link", { with: { link: true } }],
])("%s", (text, share) => {
  expect(whomText(share)).toBe(text);
});

test("it ends with the session, or at a time", () => {
  const now = Date.parse("2026-01-01T12:00:00Z");
  expect(endText(undefined, now)).toBe("Ends with the session");
  expect(endText("2026-01-01T12:42:30Z", now)).toBe("Ends in 42 minutes");
  expect(endText("2026-01-02T12:00:00Z", now)).toBe("Ends in 24 hours");
});
