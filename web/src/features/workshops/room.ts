import type { Room, RoomSize } from "./types";

/** A size of an engine's sessions. */
export type SizeName = Pick<RoomSize, "engine" | "profile">;

const isSame = (one: SizeName, other: SizeName): boolean =>
  one.engine === other.engine && one.profile === other.profile;

/** The size that is meant: the chosen one, or the default of its engine, or of all. */
export const sizeOf = (sizes: readonly RoomSize[], chosen: SizeName | undefined): RoomSize | undefined =>
  (chosen && (sizes.find((size) => isSame(size, chosen)) ?? sizes.find(({ engine }) => engine === chosen.engine))) ??
  sizes[0];

/** Whether so many seats fit; -1 is a limit that nobody knows. */
export const carries = (fits: number, seats: number): boolean => fits < 0 || fits >= seats;

/** A size to take instead of one that doesn't carry so many seats, and whether it does. */
export interface Advice {
  size: RoomSize;
  enough: boolean;
}

/**
 * The largest size that carries so many seats, on the same engine if there is one; else the one that carries the most,
 * if those are more than the asked one does.
 */
export function advise({ seats, fits, sizes }: Room, chosen: SizeName): Advice | undefined {
  if (carries(fits, seats)) return undefined;
  const others = sizes.filter((size) => !isSame(size, chosen));
  const first = <Found>(found: Found[]): Found | undefined => found[0];
  const enough = others
    .filter((size) => carries(size.fits, seats))
    .sort(
      (one, other) =>
        Number(other.engine === chosen.engine) - Number(one.engine === chosen.engine) ||
        (other.memoryBytes ?? 0) - (one.memoryBytes ?? 0),
    );
  const best = first(enough);
  if (best) return { size: best, enough: true };
  const most = first(others.filter((size) => size.fits > fits).sort((one, other) => other.fits - one.fits));
  return most && { size: most, enough: false };
}
