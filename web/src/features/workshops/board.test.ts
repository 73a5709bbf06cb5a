import { expect, test } from "vitest";
import {
  barsOf,
  handSeconds,
  histogram,
  idleSeconds,
  keepOrder,
  movedTo,
  newHands,
  raisedHands,
  sortSeats,
  tallest,
} from "./board";
import type { Seat } from "./types";

const now = Date.parse("2026-03-30T10:00:00Z");
const ago = (minutes: number) => new Date(now - 60_000 * minutes).toISOString();

const seat = (number: number, more: Partial<Seat> = {}): Seat => ({
  seat: number,
  name: `Person ${number}`,
  signedIn: false,
  state: "running",
  passed: 0,
  handUp: false,
  waitingSeconds: 0,
  lastActivityAt: ago(1),
  ...more,
});

const numbers = (seats: readonly Seat[]) => seats.map((one) => one.seat);

const room = [
  seat(3),
  seat(1, { lastActivityAt: ago(20) }),
  seat(6, { handUp: true, handUpAt: ago(2) }),
  seat(2, { error: { cell: 4, name: "NameError" } }),
  seat(5, { handUp: true, handUpAt: ago(9), error: { cell: 2, name: "KeyError" } }),
  seat(4, { lastActivityAt: ago(45) }),
  seat(7, { state: "failed" }),
];

test("who needs help comes first: hands by how long they wait, then errors, then those in which nothing happens", () => {
  expect(numbers(sortSeats(room, "help", now))).toEqual([5, 6, 2, 7, 4, 1, 3]);
});

test("by seat and by progress", () => {
  expect(numbers(sortSeats(room, "seat", now))).toEqual([1, 2, 3, 4, 5, 6, 7]);
  const at = (index: number) => ({ index, of: 9, id: "" });
  const going = [seat(1, { passed: 5 }), seat(2, { passed: 2, cell: at(3) }), seat(3, { passed: 2 }), seat(4)];
  expect(numbers(sortSeats(going, "progress", now))).toEqual([4, 3, 2, 1]);
});

test("sorting leaves the list as it was", () => {
  sortSeats(room, "help", now);
  expect(numbers(room)[0]).toBe(3);
});

test("an order is kept while somebody is in it, and new seats come last", () => {
  expect(numbers(keepOrder([seat(1), seat(2), seat(3), seat(9)], [3, 1, 4, 2]))).toEqual([3, 1, 2, 9]);
});

test("hands wait since they went up", () => {
  expect(numbers(raisedHands(room, now))).toEqual([5, 6]);
  expect(handSeconds(seat(1, { handUp: true, handUpAt: ago(2) }), now)).toBe(120);
  expect(handSeconds(seat(1, { handUp: true, waitingSeconds: 42 }), now)).toBe(42);
  expect(handSeconds(seat(1, { waitingSeconds: 42 }), now)).toBe(0);
  // The server's clock is ahead.
  expect(handSeconds(seat(1, { handUp: true, handUpAt: ago(-1) }), now)).toBe(0);
});

test("only a running session in which nothing has happened for a while is idle", () => {
  expect(idleSeconds(seat(1, { lastActivityAt: ago(4) }), now)).toBe(0);
  expect(idleSeconds(seat(1, { lastActivityAt: ago(6) }), now)).toBe(360);
  expect(idleSeconds(seat(1, { lastActivityAt: ago(6), state: "stopped" }), now)).toBe(0);
});

test("new hands are those that weren't up before", () => {
  const [down, up] = [seat(1), seat(1, { handUp: true })];
  expect(numbers(newHands([down, seat(2, { handUp: true })], [up, seat(2, { handUp: true })]))).toEqual([1]);
  expect(numbers(newHands([down], [up, seat(3, { handUp: true })]))).toEqual([1, 3]);
  expect(newHands(undefined, [up])).toEqual([]);
});

test("the bars tell of every cell how many have passed it, are at it and failed in it", () => {
  const at = (index: number) => ({ index, of: 3, id: "" });
  const seats = [
    seat(1, { cell: at(1), passed: 1 }),
    seat(2, { cell: at(1), passed: 2 }),
    seat(3, { cell: at(1), passed: 1, state: "stopped" }),
  ];
  expect(histogram({ seats, cells: [{ index: 0, done: 3, failed: 1 }], of: 3 })).toEqual([
    { number: 1, passed: 3, here: 0, failed: 1 },
    { number: 2, passed: 0, here: 1, failed: 0 },
    { number: 3, passed: 0, here: 0, failed: 0 },
  ]);
});

test("without a known number of cells there are as many bars as somebody has come to", () => {
  expect(histogram({ seats: [], cells: [], of: 0 })).toEqual([]);
  expect(barsOf([{ index: 1, done: 4, failed: 2 }]).map(({ number }) => number)).toEqual([1, 2]);
  expect(tallest(barsOf([{ index: 1, done: 4, failed: 2 }]))).toBe(6);
  expect(tallest([])).toBe(1);
});

test("arrow keys move in the grid, and not out of it", () => {
  expect(movedTo("ArrowRight", 1, 7, 3)).toBe(2);
  expect(movedTo("ArrowDown", 1, 7, 3)).toBe(4);
  expect(movedTo("ArrowDown", 5, 7, 3)).toBe(5);
  expect(movedTo("ArrowUp", 1, 7, 3)).toBe(1);
  expect(movedTo("ArrowLeft", 0, 7, 3)).toBe(0);
  expect([movedTo("Home", 4, 7, 3), movedTo("End", 4, 7, 3)]).toEqual([0, 6]);
  expect(movedTo("x", 4, 7, 3)).toBeUndefined();
});
