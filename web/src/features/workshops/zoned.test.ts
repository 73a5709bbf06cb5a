import { expect, test } from "vitest";
import { allZones, dateAfter, isZone, offsetAt, sameClock, spanIn, wallAt, zonedInstant } from "./zoned";

const at = (date: string, time: string, zone: string) => {
  const found = zonedInstant({ date, time }, zone);
  return found && [new Date(found.instant).toISOString(), found.kind];
};

test.each([
  ["2026-03-28", "09:00", "Europe/Berlin", "2026-03-28T08:00:00.000Z"],
  // After the change to summer time, whichever day it's prepared on.
  ["2026-03-30", "09:00", "Europe/Berlin", "2026-03-30T07:00:00.000Z"],
  ["2026-10-26", "09:00", "Europe/Berlin", "2026-10-26T08:00:00.000Z"],
  ["2026-07-01", "09:00", "America/New_York", "2026-07-01T13:00:00.000Z"],
  ["2026-01-15", "09:00", "Australia/Sydney", "2026-01-14T22:00:00.000Z"],
  ["2026-06-15", "09:00", "Asia/Kathmandu", "2026-06-15T03:15:00.000Z"],
  ["2026-06-15", "00:00", "UTC", "2026-06-15T00:00:00.000Z"],
  ["2026-06-15", "23:59", "Pacific/Kiritimati", "2026-06-15T09:59:00.000Z"],
  ["2026-06-15", "00:30", "Pacific/Niue", "2026-06-15T11:30:00.000Z"],
])("%s %s in %s", (date, time, zone, instant) => {
  expect(at(date, time, zone)).toEqual([instant, "exact"]);
});

test("hours around a change are exact", () => {
  expect(at("2026-03-29", "01:59", "Europe/Berlin")).toEqual(["2026-03-29T00:59:00.000Z", "exact"]);
  expect(at("2026-03-29", "03:00", "Europe/Berlin")).toEqual(["2026-03-29T01:00:00.000Z", "exact"]);
  expect(at("2026-10-25", "01:59", "Europe/Berlin")).toEqual(["2026-10-24T23:59:00.000Z", "exact"]);
  expect(at("2026-10-25", "03:00", "Europe/Berlin")).toEqual(["2026-10-25T02:00:00.000Z", "exact"]);
});

test("a time that the clock skips counts as much later as the clock goes forward", () => {
  expect(at("2026-03-29", "02:30", "Europe/Berlin")).toEqual(["2026-03-29T01:30:00.000Z", "skipped"]);
  expect(wallAt("2026-03-29T01:30:00Z", "Europe/Berlin")).toEqual({ date: "2026-03-29", time: "03:30" });
  // By half an hour only.
  expect(at("2026-10-04", "02:15", "Australia/Lord_Howe")).toEqual(["2026-10-03T15:45:00.000Z", "skipped"]);
  // A whole day: Samoa went over the date line.
  expect(at("2011-12-30", "09:00", "Pacific/Apia")?.[1]).toBe("skipped");
});

test("of a time that comes twice, the first counts", () => {
  expect(at("2026-10-25", "02:30", "Europe/Berlin")).toEqual(["2026-10-25T00:30:00.000Z", "twice"]);
  expect(at("2026-11-01", "01:30", "America/New_York")).toEqual(["2026-11-01T05:30:00.000Z", "twice"]);
});

test.each([
  ["", "09:00", "UTC"],
  ["2026-02-30", "09:00", "UTC"],
  ["2026-06-15", "", "UTC"],
  ["2026-06-15", "24:00", "UTC"],
  ["2026-06-15", "09:00", "Nowhere/Land"],
])("%j %j in %s is none", (date, time, zone) => {
  expect(at(date, time, zone)).toBeUndefined();
});

test("an instant comes back as the local time that it was made of", () => {
  for (const zone of ["Europe/Berlin", "America/St_Johns", "Asia/Kolkata", "Pacific/Chatham", "UTC"]) {
    for (const date of ["2026-01-31", "2026-03-30", "2026-06-15", "2026-10-26"]) {
      const wall = { date, time: "09:05" };
      expect(wallAt(zonedInstant(wall, zone)?.instant ?? 0, zone)).toEqual(wall);
    }
  }
  expect(wallAt("2026-06-15T22:00:00Z", "Europe/Berlin")).toEqual({ date: "2026-06-16", time: "00:00" });
});

test("offsets, zones and days", () => {
  expect(offsetAt(Date.parse("2026-07-01T00:00:00.999Z"), "Europe/Berlin")).toBe(7_200_000);
  expect([isZone("Europe/Berlin"), isZone("x")]).toEqual([true, false]);
  expect(allZones("Europe/Kiev")).toEqual(expect.arrayContaining(["UTC", "Europe/Berlin", "Europe/Kiev"]));
  expect(allZones("x")).not.toContain("x");
  expect([dateAfter("2026-12-31", 1), dateAfter("", 1)]).toEqual(["2027-01-01", ""]);
});

test("clocks are compared at these moments, not by the names of zones", () => {
  const [winter, summer] = ["2026-01-15T09:00:00Z", "2026-07-15T09:00:00Z"];
  expect(sameClock([winter, summer], "Europe/Berlin", "Europe/Paris")).toBe(true);
  expect(sameClock([winter], "Europe/London", "UTC")).toBe(true);
  expect(sameClock([summer], "Europe/London", "UTC")).toBe(false);
});

test("a span is told by the clock of its zone", () => {
  const text = spanIn("2026-03-30T07:00:00Z", "2026-03-30T10:30:00Z", "Europe/Berlin");
  expect(text).toMatch(/Mar 30, 2026, 9:00/);
  expect(text).toMatch(/12:30/);
});
