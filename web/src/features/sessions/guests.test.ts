import { expect, test } from "vitest";
import type { Visit } from "@/api/types";
import { lastVisitText, presentText, visitorName } from "./guests";

const visit = (name: string, as: Visit["as"], people = 1, until?: string): Visit => ({
  ...{ name, as, people, since: "2026-01-01T09:00:00Z" },
  ...(until && { until }),
});

test.each([
  ["", []],
  ["Bob is here, working in it.", [visit("Bob", "edit")]],
  ["Bob is looking.", [visit("Bob", "see")]],
  ["3 people are looking.", [visit("Bob", "see"), visit("", "see", 2)]],
  ["Somebody else is looking.", [visit("", "see")]],
  ["2 people are here, working in it.", [visit("Bob", "edit"), visit("Cyd", "edit")]],
  ["Bob is here, working in it. 2 people are looking.", [visit("Bob", "edit"), visit("", "see", 2)]],
])("%j", (text, present) => {
  expect(presentText(present)).toBe(text);
});

test("whoever works in a session doesn't look at it too, and is there once", () => {
  expect(presentText([visit("Bob", "see"), visit("Bob", "edit"), visit("Bob", "edit")])).toBe(
    "Bob is here, working in it.",
  );
});

test("the last visit is the one that ended last", () => {
  const now = Date.parse("2026-01-01T12:00:00Z");
  expect(lastVisitText({}, now)).toBe("");
  expect(
    lastVisitText(
      { visits: [visit("Cyd", "edit", 1, "2026-01-01T11:00:00Z"), visit("Bob", "see", 1, "2026-01-01T11:55:00Z")] },
      now,
    ),
  ).toBe("Bob looked at it 5 minutes ago.");
  expect(lastVisitText({ visits: [visit("", "see", 4, "2026-01-01T11:00:00Z")] }, now)).toBe(
    "4 people with a link looked at it 1 hour ago.",
  );
});

test("not everybody has a name", () => {
  const until = "2026-01-01T11:00:00Z";
  expect(visitorName(visit("Bob", "see"))).toBe("Bob");
  expect(visitorName(visit("", "see"))).toBe("Somebody else");
  expect(visitorName(visit("", "see", 12))).toBe("12 other people");
  expect(visitorName(visit("", "see", 1, until))).toBe("Somebody with a link");
  expect(visitorName(visit("", "see", 12, until))).toBe("12 people with a link");
});
