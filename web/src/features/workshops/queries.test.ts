import { expect, test } from "vitest";
import { joinInterval } from "./queries";
import type { JoinInfo } from "./types";

const now = Date.parse("2026-03-30T07:00:00Z");
const info = (more: Partial<JoinInfo>): JoinInfo => ({
  ...{ name: "Waves", state: "PLANNED", open: false, full: false, guests: true, timezone: "Europe/Berlin" },
  ...{ startsAt: "", endsAt: "", workUntil: "", opensAt: new Date(now).toISOString() },
  ...more,
});
const opensIn = (seconds: number) => info({ opensAt: new Date(now + 1000 * seconds).toISOString() });

test("whoever waits looks again when it opens, not all at the same moment", () => {
  expect(joinInterval(opensIn(10), now, 0)).toBe(10_000);
  expect(joinInterval(opensIn(10), now, 0.5)).toBe(11_000);
  expect(joinInterval(opensIn(7_200), now, 1)).toBe(60_000);
  expect(joinInterval(opensIn(-5), now, 0)).toBe(2_500);
});

test("a full one may have room again, and an open one may end", () => {
  expect(joinInterval(info({ state: "OPEN", open: true, full: true }), now, 0)).toBe(5_000);
  expect(joinInterval(info({ state: "OPEN", open: true }), now, 0)).toBe(60_000);
  expect(joinInterval(info({ state: "ENDED" }), now, 0)).toBe(60_000);
  expect(joinInterval(undefined, now, 0)).toBe(false);
});
