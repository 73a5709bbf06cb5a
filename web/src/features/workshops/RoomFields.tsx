import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { messageOf } from "@/api/problem";
import { Choice } from "@/features/sessions/Choice";
import { searchDebounce } from "@/lib/constants";
import { Button } from "@/ui/Button";
import { Note } from "@/ui/Note";
import { seatsOf, spanOf, type Values } from "./draft";
import { HostPart } from "./HostPart";
import { type RoomWish, roomQuery } from "./queries";
import { advise, carries, type SizeName, sizeOf } from "./room";
import type { Room, RoomSize } from "./types";
import { workshopFormMessages as messages } from "./WorkshopForm.messages";

interface RoomFieldsProps {
  values: Values;
  /** The workshop that is changed. */
  except: string | undefined;
  error: string | undefined;
  onSize: (size: SizeName) => void;
}

const nameOf = ({ engine, profile }: SizeName) => `${engine} ${profile}`;

/** In which size each session is, and whether the machine can carry them all at that time. */
export function RoomFields({ values, except, error, onSize }: RoomFieldsProps) {
  const wish = useRested(wishOf(values, except));
  const room = useQuery(roomQuery(wish));
  const { data } = room;
  const sizes = data?.sizes ?? [];
  const chosen = sizeOf(sizes, values.size);
  const engines = new Set(sizes.map(({ engine }) => engine));
  const labelOf = ({ label, engineLabel }: RoomSize) =>
    engines.size > 1 ? messages.onEngine(engineLabel, label) : label;

  // What is shown as chosen is what is asked for.
  const named = values.size !== undefined && chosen !== undefined && nameOf(values.size) === nameOf(chosen);
  useEffect(() => {
    if (chosen && !named) onSize({ engine: chosen.engine, profile: chosen.profile });
  }, [chosen, named, onSize]);

  return (
    <HostPart title={messages.room}>
      {sizes.length > 1 && (
        <Choice
          legend={messages.size}
          options={sizes.map((size) => ({
            name: nameOf(size),
            label: labelOf(size),
            note: messages.sizeNote(messages.memory(size.memoryBytes ?? 0), messages.sizeFits(size.fits)),
          }))}
          chosen={chosen && nameOf(chosen)}
          onChoose={(name) => {
            const size = sizes.find((one) => nameOf(one) === name);
            if (size) onSize({ engine: size.engine, profile: size.profile });
          }}
        />
      )}
      {error && (
        <Note kind="error" role="alert">
          {error}
        </Note>
      )}
      <div role="status" aria-busy={room.isFetching}>
        {!wish && <p>{messages.roomUnknown}</p>}
        {wish && room.error && <p>{messages.roomFailed(messageOf(room.error))}</p>}
        {wish && room.isPending && !room.error && <p>{messages.asking}</p>}
        {wish && data && !room.error && chosen && (
          <Verdict room={data} chosen={chosen} labelOf={labelOf} onSize={onSize} />
        )}
      </div>
    </HostPart>
  );
}

interface VerdictProps {
  room: Room;
  chosen: RoomSize;
  labelOf: (size: RoomSize) => string;
  onSize: (size: SizeName) => void;
}

/** Whether there is room, what it takes, and which size to take instead. */
function Verdict({ room, chosen, labelOf, onSize }: VerdictProps) {
  const { seats, fits, places, capacity, free } = room;
  if (fits < 0) return <p>{messages.noLimit}</p>;
  const takes = messages.takes(places, capacity);
  if (carries(fits, seats)) {
    return (
      <Note kind="info" title={messages.enough(seats)}>
        <p>{takes}</p>
      </Note>
    );
  }
  const advice = advise(room, chosen);
  const other = advice && labelOf(advice.size);
  return (
    <Note
      kind="error"
      title={
        advice && other !== undefined
          ? advice.size.fits < 0
            ? messages.onlyButAll(fits, seats, other)
            : messages.onlyBut(fits, seats, Math.min(advice.size.fits, seats), other)
          : messages.only(fits, seats)
      }
    >
      <p>
        {takes} {messages.free(free)}
      </p>
      {!advice?.enough && <p>{messages.noSize}</p>}
      {advice && other !== undefined && (
        <div>
          <Button size="small" onClick={() => onSize({ engine: advice.size.engine, profile: advice.size.profile })}>
            {messages.take(other)}
          </Button>
        </div>
      )}
    </Note>
  );
}

/** What the room is asked for; undefined while the form doesn't say enough. */
function wishOf(values: Values, except: string | undefined): RoomWish | undefined {
  const { start, end } = spanOf(values);
  const seats = seatsOf(values.seats);
  if (!start || !end || seats === undefined || end.instant <= start.instant) return undefined;
  return {
    ...values.size,
    startsAt: new Date(start.instant).toISOString(),
    endsAt: new Date(end.instant).toISOString(),
    seats,
    ...(except !== undefined && { except }),
  };
}

/** A wish that hasn't changed for a moment. */
function useRested(wish: RoomWish | undefined): RoomWish | undefined {
  const text = wish && JSON.stringify(wish);
  const [rested, setRested] = useState(text);
  useEffect(() => {
    const timer = window.setTimeout(() => setRested(text), searchDebounce);
    return () => window.clearTimeout(timer);
  }, [text]);
  return rested === undefined ? undefined : (JSON.parse(rested) as RoomWish);
}
