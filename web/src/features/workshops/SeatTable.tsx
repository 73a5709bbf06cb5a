import { Button } from "@/ui/Button";
import { boardMessages as messages } from "./BoardPage.messages";
import { type SeatOrder, sortSeats } from "./board";
import { seatWords } from "./seatWords";
import type { Seat } from "./types";

interface SeatTableProps {
  seats: readonly Seat[];
  of: number;
  order: SeatOrder;
  names: boolean;
  now: number;
  onSeat: (seat: number) => void;
}

/** The seats as a table. */
export function SeatTable({ seats, of, order, names, now, onSeat }: SeatTableProps) {
  const heads = [
    messages.seat,
    ...(names ? [messages.name] : []),
    ...[messages.state, messages.cell, messages.error, messages.hand, messages.idle, messages.actions],
  ];
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: in a narrow window it's scrolled with the keyboard.
    <section className="ws-scroll" tabIndex={0} aria-label={messages.seatsTable}>
      <table className="ws-table">
        <thead>
          <tr>
            {heads.map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {sortSeats(seats, order, now).map((seat) => {
            const { state, cell, error, hand, idle } = seatWords(seat, of, now);
            return (
              <tr key={seat.seat}>
                <th scope="row">{seat.seat}</th>
                {names && (
                  <td>
                    <bdi>{seat.name}</bdi>
                  </td>
                )}
                <td>{state}</td>
                <td>{cell}</td>
                <td>{error}</td>
                <td>{hand}</td>
                <td>{idle}</td>
                <td>
                  <Button size="small" aria-label={messages.actionsOf(seat.seat)} onClick={() => onSeat(seat.seat)}>
                    {messages.actions}
                  </Button>
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}
