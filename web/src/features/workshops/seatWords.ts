import type { Tone } from "@/ui/tone";
import { boardMessages as messages } from "./BoardPage.messages";
import { cellNumber, handSeconds, idleSeconds } from "./board";
import type { Seat } from "./types";

/** What is said of a seat, each only if there is something to say. */
export interface SeatWords {
  state: string;
  cell: string | undefined;
  error: string | undefined;
  hand: string | undefined;
  idle: string | undefined;
  tone: Tone;
}

/** What is said of a seat at a time. `of` is the number of code cells; 0: unknown. */
export function seatWords(seat: Seat, of: number, now: number): SeatWords {
  const { state, queuePosition = 0, cell, passed, error, handUp } = seat;
  const idle = idleSeconds(seat, now);
  const all = cell?.of || of;
  const tone: Tone =
    error || state === "failed"
      ? "red"
      : handUp || state === "starting"
        ? "amber"
        : state === "running" && idle === 0
          ? "green"
          : "grey";
  return {
    state: state === "starting" && queuePosition > 0 ? messages.queued(queuePosition) : messages.states[state],
    cell:
      all > 0 && passed >= all
        ? messages.passedAll(all)
        : cell
          ? messages.at7(cellNumber(cell.index), all)
          : passed > 0
            ? messages.at7(passed, all)
            : undefined,
    error: error && messages.errorIn(cellNumber(error.cell), error.name),
    hand: handUp ? messages.handUp(handSeconds(seat, now)) : undefined,
    idle: idle > 0 ? messages.idleFor(idle) : undefined,
    tone,
  };
}
