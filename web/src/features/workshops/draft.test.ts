import { expect, test } from "vitest";
import { changesOf, draftOf, firstValues, lastDayOf, seatsOf, type Values, valuesOf, withoutEmpty } from "./draft";
import type { Workshop } from "./types";

const now = Date.parse("2026-03-20T12:00:00Z");
const values: Values = {
  ...firstValues("Europe/Berlin", now),
  name: " Waves ",
  origin: { of: "entry", id: "e1" },
  date: "2026-03-30",
};

const faultsOf = (change: Partial<Values>) => {
  const made = draftOf({ ...values, ...change }, now);
  return "faults" in made ? made.faults : [];
};

test("a morning after the change to summer time", () => {
  expect(draftOf({ ...values, size: { engine: "local", profile: "small" }, hosts: " a@b.org, c@d.org;" }, now)).toEqual(
    {
      draft: {
        name: "Waves",
        entry: "e1",
        seats: 20,
        startsAt: "2026-03-30T07:00:00.000Z",
        endsAt: "2026-03-30T10:00:00.000Z",
        timezone: "Europe/Berlin",
        engine: "local",
        profile: "small",
        network: "internet",
        guests: true,
        hosts: ["a@b.org", "c@d.org"],
        file: "",
        ref: "",
      },
    },
  );
});

test("the form begins with tomorrow by the reader's clock", () => {
  expect(firstValues("Pacific/Kiritimati", now).date).toBe("2026-03-22");
  expect(firstValues("Europe/Berlin", now).date).toBe("2026-03-21");
});

test("what would end before it begins ends on the next day, unless a last day is written", () => {
  const evening = { date: "2026-12-31", from: "20:00", to: "01:00" };
  expect(lastDayOf({ ...evening, lastDay: "" })).toBe("2027-01-01");
  expect(lastDayOf({ ...evening, to: "23:00", lastDay: "" })).toBe("2026-12-31");
  expect(lastDayOf({ ...evening, lastDay: "2027-01-02" })).toBe("2027-01-02");
});

test.each<[Partial<Values>, string[]]>([
  [{ name: " " }, ["name"]],
  [{ name: "x".repeat(201) }, ["name"]],
  [{ origin: undefined }, ["origin"]],
  [{ seats: "0" }, ["seats"]],
  [{ seats: "501" }, ["seats"]],
  [{ date: "" }, ["date", "endsAt"]],
  [{ from: "" }, ["startsAt"]],
  [{ to: "09:00" }, ["endsAt"]],
  [{ lastDay: "2026-03-29" }, ["endsAt"]],
  [{ date: "2026-03-20", from: "09:00", to: "10:00" }, ["past"]],
  // It has begun.
  [{ date: "2026-03-20", from: "09:00", to: "18:00" }, []],
])("%o has the faults %o", (change, faults) => {
  expect(faultsOf(change)).toEqual(faults);
});

test("seats are a whole number", () => {
  expect(["1", " 60 ", "500", "1.5", "-3", "1e2", "", "1000"].map(seatsOf)).toEqual([
    ...[1, 60, 500],
    ...[undefined, undefined, undefined, undefined, undefined],
  ]);
});

const workshop = {
  name: "Waves",
  entry: { id: "e1", name: "Waves", type: "REPOSITORY" },
  engine: "local",
  profile: "small",
  seats: { total: 20, taken: 0, running: 0, waiting: 0 },
  startsAt: "2026-03-30T07:00:00Z",
  endsAt: "2026-03-30T10:00:00Z",
  timezone: "Europe/Berlin",
  network: "none",
  guests: true,
  hosts: [],
} as unknown as Workshop;

test("a workshop comes back as what was asked for", () => {
  expect(valuesOf(workshop)).toMatchObject({
    date: "2026-03-30",
    from: "09:00",
    to: "12:00",
    lastDay: "",
    seats: "20",
  });
  expect(valuesOf({ ...workshop, endsAt: "2026-03-31T10:00:00Z" }).lastDay).toBe("2026-03-31");
  const before = draftOf(valuesOf(workshop), now);
  const after = draftOf({ ...valuesOf(workshop), to: "13:00", file: "a.ipynb" }, now);
  if (!("draft" in before) || !("draft" in after)) throw new Error("They are whole.");
  expect(changesOf(before.draft, before.draft)).toEqual({});
  expect(changesOf(before.draft, after.draft)).toEqual({ endsAt: "2026-03-30T11:00:00.000Z", file: "a.ipynb" });
  expect(Object.keys(withoutEmpty(before.draft))).not.toContain("file");
  expect(withoutEmpty(after.draft)).toMatchObject({ file: "a.ipynb" });
});
