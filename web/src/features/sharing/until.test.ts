import { expect, test } from "vitest";
import { endsSomeTime, untilOf } from "./until";

const now = new Date("2026-03-28T21:30:15.250Z");

test("it ends in an hour, in a day, or with the session", () => {
  expect(untilOf("hour", now)).toBe("2026-03-28T22:30:15.250Z");
  expect(untilOf("day", now)).toBe("2026-03-29T21:30:15.250Z");
  expect(untilOf("session", now)).toBe("session");
});

test("only what runs, or begins to, ends", () => {
  expect(endsSomeTime({ status: "RUNNING" })).toBe(true);
  expect(endsSomeTime({ status: "CREATED" })).toBe(true);
  expect(endsSomeTime({ status: "RUNNING", requestedStatus: "TERMINATED" })).toBe(false);
  expect(endsSomeTime({ status: "TERMINATED" })).toBe(false);
});
