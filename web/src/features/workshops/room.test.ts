import { expect, test } from "vitest";
import { advise, carries, sizeOf } from "./room";
import type { Room, RoomSize } from "./types";

const size = (engine: string, profile: string, memoryBytes: number, fits: number): RoomSize => ({
  engine,
  engineLabel: engine,
  profile,
  label: profile,
  memoryBytes,
  fits,
});

const [tiny, small, medium] = [size("a", "tiny", 256, 60), size("a", "small", 512, 48), size("a", "medium", 1024, 24)];
const room = (seats: number, fits: number, sizes = [medium, small, tiny]): Room => ({
  ...{ seats, fits, sizes },
  ...{ capacity: 47, free: 47, places: 30 },
});

test("the size that is meant is the chosen one, or the first", () => {
  expect(sizeOf([medium, small], { engine: "a", profile: "small" })).toBe(small);
  expect(sizeOf([medium, small], { engine: "b", profile: "small" })).toBe(medium);
  expect(sizeOf([medium, small], undefined)).toBe(medium);
  expect(sizeOf([], undefined)).toBeUndefined();
});

test("the largest size that carries all seats is advised", () => {
  expect(advise(room(40, 24), medium)).toEqual({ size: small, enough: true });
  expect(advise(room(60, 48), small)).toEqual({ size: tiny, enough: true });
});

test("nothing is advised while they fit, or no limit is known", () => {
  expect(advise(room(20, 24), medium)).toBeUndefined();
  expect(advise(room(20, -1), medium)).toBeUndefined();
  expect([carries(-1, 500), carries(24, 24), carries(24, 25)]).toEqual([true, true, false]);
});

test("the same engine is preferred to a larger size of another one", () => {
  const hub = size("b", "large", 4096, -1);
  expect(advise(room(40, 24, [medium, hub, tiny]), medium)?.size).toBe(tiny);
  expect(advise(room(90, 24, [medium, hub, tiny]), medium)?.size).toBe(hub);
});

test("if none carries all, the one that carries the most", () => {
  expect(advise(room(90, 24), medium)).toEqual({ size: tiny, enough: false });
  expect(advise(room(90, 60), tiny)).toBeUndefined();
});
