import { expect, it } from "vitest";
import type { Schedule } from "@/api/types";
import { firstTimes, isTime, type Times, timesOf, timesWords } from "./times";

const zone = "Europe/Berlin";
const times: Times = { every: "now", weekday: 1, monthday: 31, at: "03:00" };

it("begins with the day on which it is asked", () => {
  expect(firstTimes(new Date(2026, 10, 29))).toEqual({ every: "now", weekday: 7, monthday: 29, at: "03:00" });
  expect(firstTimes(new Date(2026, 10, 30)).weekday).toBe(1);
});

it.each<[Partial<Times>, object | undefined]>([
  [{}, undefined],
  [{ every: "day" }, { every: "day", at: "03:00", timezone: zone }],
  [
    { every: "week", at: "17:30" },
    { every: "week", on: 1, at: "17:30", timezone: zone },
  ],
  [{ every: "month" }, { every: "month", on: 31, at: "03:00", timezone: zone }],
])("%j asks for %j", (change, asked) => {
  expect(timesOf({ ...times, ...change }, zone)).toEqual(asked);
});

it.each<[Partial<Schedule>, string]>([
  [{ every: "day" }, "Every day at 03:00 (Europe/Berlin)"],
  [{ every: "week", on: 1 }, "Every Monday at 03:00 (Europe/Berlin)"],
  [{ every: "week", on: 7 }, "Every Sunday at 03:00 (Europe/Berlin)"],
  [{ every: "month", on: 31 }, "On day 31 of every month at 03:00 (Europe/Berlin)"],
  [{ every: "day", until: "2026-12-24T12:00:00Z" }, "Every day at 03:00 (Europe/Berlin), until Dec 24, 2026"],
])("%j is said as %j", (change, words) => {
  expect(timesWords({ every: "day", at: "03:00", timezone: zone, ...change })).toBe(words);
});

it.each([
  ["03:00", true],
  ["23:59", true],
  ["24:00", false],
  ["3:00", false],
  ["", false],
])("%j is a time: %s", (text, is) => {
  expect(isTime(text)).toBe(is);
});
