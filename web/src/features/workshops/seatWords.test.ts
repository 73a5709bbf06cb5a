import { expect, test } from "vitest";
import { seatWords } from "./seatWords";
import type { Seat } from "./types";

const now = Date.parse("2026-03-30T10:00:00Z");
const ago = (minutes: number) => new Date(now - 60_000 * minutes).toISOString();

const seat = (more: Partial<Seat>): Seat => ({
  ...{ seat: 7, name: "Ada", signedIn: false, state: "running", passed: 0, handUp: false, waitingSeconds: 0 },
  ...more,
});
const said = (more: Partial<Seat>, of = 22) => {
  const { tone, ...words } = seatWords(seat(more), of, now);
  return [tone, ...Object.values(words).filter(Boolean)].join(" | ");
};

test("where somebody is", () => {
  expect(said({ cell: { index: 6, of: 22, id: "" }, passed: 6 })).toBe("green | Running | cell 7 of 22");
  expect(said({ passed: 22 })).toBe("green | Running | all 22 cells done");
  expect(said({ passed: 3 }, 0)).toBe("green | Running | cell 3");
  expect(said({})).toBe("green | Running");
});

test("what is wrong, and who waits", () => {
  expect(said({ error: { cell: 8, name: "NameError" } })).toBe("red | Running | error in cell 9: NameError");
  expect(said({ handUp: true, handUpAt: ago(3) })).toBe("amber | Running | Hand up, 3 min");
  expect(said({ lastActivityAt: ago(20) })).toBe("grey | Running | idle for 20 min");
  expect(said({ state: "starting", queuePosition: 4 })).toBe("amber | Waiting, number 4");
  expect(said({ state: "starting" })).toBe("amber | Starting");
  expect(said({ state: "failed" })).toBe("red | Couldn't start");
});
