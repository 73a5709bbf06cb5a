import type { OwnSeat } from "./types";

type Store = Pick<Storage, "getItem" | "setItem" | "removeItem">;

/** Where this browser keeps with what its user comes back to a seat, by the key of the workshop. */
const keyOf = (key: string) => `cairn.seat.${key}`;

/** The seat that was taken from this browser. */
export function seatOf(key: string, store: Store = localStorage): OwnSeat | undefined {
  try {
    const { seat, seatCode } = JSON.parse(store.getItem(keyOf(key)) ?? "{}");
    return Number.isInteger(seat) && typeof seatCode === "string" ? { seat, seatCode } : undefined;
  } catch {
    return undefined;
  }
}

export const keepSeat = (key: string, { seat, seatCode }: OwnSeat, store: Store = localStorage) =>
  store.setItem(keyOf(key), JSON.stringify({ seat, seatCode }));

/** Somebody else uses this browser now, or the seat isn't theirs any longer. */
export const forgetSeat = (key: string, store: Store = localStorage) => store.removeItem(keyOf(key));
