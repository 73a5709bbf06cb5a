import { type KeyboardEvent, useRef, useState } from "react";
import { classes } from "@/lib/classes";
import { Icon } from "@/ui/Icon";
import { toneClass } from "@/ui/tone";
import { boardMessages as messages } from "./BoardPage.messages";
import { keepOrder, movedTo, type SeatOrder, sortSeats } from "./board";
import { seatWords } from "./seatWords";
import type { Seat } from "./types";

interface SeatTilesProps {
  seats: readonly Seat[];
  /** The number of code cells; 0: unknown. */
  of: number;
  order: SeatOrder;
  names: boolean;
  now: number;
  onSeat: (seat: number) => void;
}

/** A tile for each seat. One of them is in the tab order, and the arrow keys move between them. */
export function SeatTiles({ seats, of, order, names, now, onSeat }: SeatTilesProps) {
  const list = useRef<HTMLUListElement>(null);
  const [current, setCurrent] = useState<number>();
  // While somebody is at a tile, none moves; another order is wanted at once.
  const [held, setHeld] = useState<{ order: SeatOrder; seats: number[] }>();
  const sorted = held?.order === order ? keepOrder(seats, held.seats) : sortSeats(seats, order, now);
  const focusable = sorted.some(({ seat }) => seat === current) ? current : sorted[0]?.seat;

  const tiles = () => [...(list.current?.querySelectorAll<HTMLElement>("button") ?? [])];
  const keys = (event: KeyboardEvent) => {
    const all = tiles();
    const at = all.indexOf(document.activeElement as HTMLElement);
    const [first] = all;
    const columns = all.filter((tile) => tile.offsetTop === first?.offsetTop).length;
    const target = movedTo(event.key, at, all.length, columns);
    if (at < 0 || target === undefined) return;
    event.preventDefault();
    all[target]?.focus();
  };

  return (
    <ul
      ref={list}
      aria-label={messages.seatsTitle}
      className="ws-tiles"
      onKeyDown={keys}
      onFocus={() => setHeld({ order, seats: sorted.map(({ seat }) => seat) })}
      onBlur={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget)) setHeld(undefined);
      }}
    >
      {sorted.map((seat) => (
        <li key={seat.seat}>
          <Tile
            seat={seat}
            of={of}
            name={names ? seat.name : undefined}
            now={now}
            focusable={seat.seat === focusable}
            onFocus={() => setCurrent(seat.seat)}
            onOpen={() => onSeat(seat.seat)}
          />
        </li>
      ))}
    </ul>
  );
}

interface TileProps {
  seat: Seat;
  of: number;
  name: string | undefined;
  now: number;
  focusable: boolean;
  onFocus: () => void;
  onOpen: () => void;
}

function Tile({ seat, of, name, now, focusable, onFocus, onOpen }: TileProps) {
  const { state, cell, error, hand, idle, tone } = seatWords(seat, of, now);
  return (
    <button
      type="button"
      className={classes("ws-tile", toneClass(tone))}
      data-hand={seat.handUp}
      aria-haspopup="dialog"
      tabIndex={focusable ? 0 : -1}
      onFocus={onFocus}
      onClick={onOpen}
    >
      <span className="ws-tile-head">
        <span className="ws-number">
          <span className="visually-hidden">{messages.seat} </span>
          {seat.seat}
        </span>
        {name && <bdi>{name}</bdi>}
      </span>
      {hand && (
        <strong>
          <Icon name="people" size={16} />
          {hand}
        </strong>
      )}
      {error && (
        <strong>
          <Icon name="error" size={16} />
          {error}
        </strong>
      )}
      {cell && <span>{cell}</span>}
      <span className="ws-quiet">{[state, idle].filter(Boolean).join(", ")}</span>
    </button>
  );
}
