import type { Board, CellCount, Seat } from "./types";

/** In which order the seats are shown. */
export type SeatOrder = "seat" | "help" | "progress";

/** Seconds without anything happening after which somebody may need help. */
const idleAfter = 5 * 60;

/** How long a hand has been up, in seconds; 0: it's down. */
export function handSeconds({ handUp, handUpAt, waitingSeconds }: Seat, now: number): number {
  if (!handUp) return 0;
  return handUpAt ? Math.max(0, (now - new Date(handUpAt).getTime()) / 1000) : waitingSeconds;
}

/** For how long nothing has happened in a running session, in seconds; 0: something happens, or it doesn't run. */
export function idleSeconds({ state, lastActivityAt }: Seat, now: number): number {
  if (state !== "running" || !lastActivityAt) return 0;
  const seconds = (now - new Date(lastActivityAt).getTime()) / 1000;
  return seconds >= idleAfter ? seconds : 0;
}

/** The seats whose hands are up, the one that has waited longest first. */
export const raisedHands = (seats: readonly Seat[], now: number): Seat[] =>
  seats
    .filter(({ handUp }) => handUp)
    .sort((one, other) => handSeconds(other, now) - handSeconds(one, now) || one.seat - other.seat);

/** How much help a seat needs: hands first, then errors, then those in which nothing happens. */
function need(seat: Seat): number {
  if (seat.handUp) return 3;
  if (seat.error || seat.state === "failed") return 2;
  return 0;
}

function byHelp(now: number) {
  const rank = (seat: Seat) => need(seat) || (idleSeconds(seat, now) > 0 ? 1 : 0);
  return (one: Seat, other: Seat): number =>
    rank(other) - rank(one) ||
    handSeconds(other, now) - handSeconds(one, now) ||
    (rank(one) === 1 ? idleSeconds(other, now) - idleSeconds(one, now) : 0) ||
    one.seat - other.seat;
}

/** The furthest come last: they need nobody. */
const byProgress = (one: Seat, other: Seat): number =>
  one.passed - other.passed || (one.cell?.index ?? -1) - (other.cell?.index ?? -1) || one.seat - other.seat;

/** The seats in an order. */
export function sortSeats(seats: readonly Seat[], order: SeatOrder, now: number): Seat[] {
  if (order === "help") return seats.toSorted(byHelp(now));
  if (order === "progress") return seats.toSorted(byProgress);
  return seats.toSorted((one, other) => one.seat - other.seat);
}

/** The same seats in the order of before, so that none moves away from whoever is at it; those that are new come last. */
export function keepOrder(seats: readonly Seat[], before: readonly number[]): Seat[] {
  const place = new Map(before.map((seat, at) => [seat, at]));
  const placeOf = ({ seat }: Seat) => place.get(seat) ?? before.length;
  return seats.toSorted((one, other) => placeOf(one) - placeOf(other) || one.seat - other.seat);
}

/** What people call a code cell: they count from 1. */
export const cellNumber = (index: number): number => index + 1;

/** How the room is at a code cell. */
export interface CellBar {
  /** Counted from 1 among the code cells. */
  number: number;
  /** How many seats have passed it, are at it, and failed in it. */
  passed: number;
  here: number;
  failed: number;
}

/** How the room is at each code cell, in their order, even if there is nothing to say of some. */
export function histogram({ seats, cells, of }: Pick<Board, "seats" | "cells" | "of">): CellBar[] {
  const counts = new Map(cells.map((cell) => [cell.index, cell]));
  const reached = [...cells.map(({ index }) => index), ...seats.map(({ cell }) => cell?.index ?? -1)];
  const most = Math.max(of, ...reached.map((index) => index + 1), 0);
  const at = (place: number) => seats.filter(({ cell, state }) => state === "running" && cell?.index === place);
  return Array.from({ length: most }, (_, index) => {
    const counted = counts.get(index);
    return {
      number: cellNumber(index),
      passed: counted?.done ?? 0,
      // Whoever has passed it is no longer there, even if nothing has been run since.
      here: at(index).filter(({ passed }) => passed <= index).length,
      failed: counted?.failed ?? 0,
    };
  });
}

/** The same of a report, in which nobody is anywhere. */
export const barsOf = (cells: readonly CellCount[]): CellBar[] => histogram({ seats: [], cells: [...cells], of: 0 });

/** The largest sum of a bar, and at least 1. */
export const tallest = (bars: readonly CellBar[]): number =>
  Math.max(1, ...bars.map(({ passed, here, failed }) => passed + here + failed));

/** The seats whose hands have gone up since. */
export function newHands(before: readonly Seat[] | undefined, after: readonly Seat[]): Seat[] {
  if (!before) return [];
  const were = new Set(before.filter(({ handUp }) => handUp).map(({ seat }) => seat));
  return after.filter(({ seat, handUp }) => handUp && !were.has(seat));
}

/** At which place of a grid with so many columns an arrow key leads; undefined: the key is another one. */
export function movedTo(key: string, at: number, length: number, columns: number): number | undefined {
  const targets: Record<string, number> = {
    ArrowRight: at + 1,
    ArrowLeft: at - 1,
    ArrowDown: at + columns,
    ArrowUp: at - columns,
    Home: 0,
    End: length - 1,
  };
  const target = targets[key];
  if (target === undefined) return undefined;
  return target < 0 || target >= length ? at : target;
}
