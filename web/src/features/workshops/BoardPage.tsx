import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import projectStyles from "@/features/projects/ProjectPage.module.css";
import { time } from "@/lib/measures";
import { BackLink } from "@/ui/BackLink";
import { Badge } from "@/ui/Badge";
import { Button, LinkButton } from "@/ui/Button";
import { Empty } from "@/ui/Empty";
import { ErrorState } from "@/ui/ErrorState";
import { Skeleton, SkeletonPlace } from "@/ui/Loading";
import { LineChoice } from "@/ui/list/LineChoice";
import { Note } from "@/ui/Note";
import { Page } from "@/ui/Page";
import { useParams } from "@/ui/router";
import type { Tone } from "@/ui/tone";
import { boardMessages as messages } from "./BoardPage.messages";
import { handSeconds, histogram, newHands, raisedHands, type SeatOrder } from "./board";
import { CellBars } from "./CellBars";
import { ForEverybody } from "./ForEverybody";
import { HostPart } from "./HostPart";
import { OneWorkshop } from "./OneWorkshop";
import { workshopPath } from "./paths";
import { workshopQuery } from "./queries";
import { SeatDialog } from "./SeatDialog";
import { SeatTable } from "./SeatTable";
import { SeatTiles } from "./SeatTiles";
import { EndDialog, MoreTimeDialog } from "./TimeDialogs";
import { Toggle } from "./Toggle";
import type { Board, Seat, Workshop } from "./types";
import { type BoardPhase, type BoardSeen, useBoard } from "./useBoard";
import { useHiddenNames } from "./useHiddenNames";
import { useSeconds } from "./useSeconds";
import { WorkshopStyles } from "./WorkshopStyles";

/** /workshops/:id/board: where the room is, and who needs help. */
export function BoardPage() {
  const { id = "" } = useParams();
  const asked = useQuery(workshopQuery(id));
  return (
    <OneWorkshop id={id} asked={asked}>
      {(workshop) => <Following key={id} workshop={workshop} />}
    </OneWorkshop>
  );
}

const tones: Record<BoardPhase, Tone> = {
  connecting: "grey",
  live: "green",
  again: "amber",
  ended: "grey",
  over: "grey",
};

function Following({ workshop }: { workshop: Workshop }) {
  const { id, name } = workshop;
  const seen = useBoard(id);
  const { phase, board, problem, again } = seen;
  const over = phase === "ended" || board?.state === "ENDED";
  const names = useHiddenNames(messages.key);
  const [large, setLarge] = useState(false);
  return (
    <Page
      title={messages.title(name)}
      heading={<bdi>{name}</bdi>}
      above={
        <>
          <BackLink to={workshopPath(id)} />
          <div role="status">
            <Badge tone={over ? "grey" : tones[phase]}>{messages.phases[over ? "ended" : phase]}</Badge>
          </div>
        </>
      }
      actions={
        <>
          <Toggle
            pressed={names.hidden}
            {...(names.listens && { "aria-keyshortcuts": messages.key })}
            onClick={names.toggle}
          >
            {messages.hideNames} {names.listens && <kbd>{messages.keyShown}</kbd>}
          </Toggle>
          <Toggle pressed={large} onClick={() => setLarge(!large)}>
            {messages.large}
          </Toggle>
        </>
      }
    >
      <WorkshopStyles />
      <div className="ws-board" data-large={large}>
        {over && (
          <Note kind="info" role="status">
            <p>{messages.endedMeans}</p>
            <div>
              <LinkButton to={workshopPath(id, "report")}>{messages.report}</LinkButton>
            </div>
          </Note>
        )}
        {problem && phase === "again" && (
          <Note kind="info" role="status">
            {messages.again(problem.message)}
          </Note>
        )}
        {phase === "over" && <ErrorState title={messages.failed} message={problem?.message} onRetry={again} />}
        {board && <Shown workshop={workshop} seen={seen} board={board} over={over} names={!names.hidden} />}
        {!board && phase !== "over" && !over && (
          <SkeletonPlace label={messages.loading}>
            <Skeleton height="20rem" />
          </SkeletonPlace>
        )}
      </div>
    </Page>
  );
}

interface ShownProps {
  workshop: Workshop;
  seen: BoardSeen;
  board: Board;
  over: boolean;
  names: boolean;
}

function Shown({ workshop, seen, board, over, names }: ShownProps) {
  const { id } = workshop;
  const { of } = board;
  const seats = board.seats.filter(({ state }) => state !== "invited");
  const free = board.seats.length - seats.length;
  const now = useSeconds(seats.some(({ handUp }) => handUp) && !over);
  const [order, setOrder] = useState<SeatOrder>("seat");
  const [tiles, setTiles] = useState(true);
  const [opened, setOpened] = useState<number>();
  const [asking, setAsking] = useState<"more" | "end">();
  const seat = seats.find((one) => one.seat === opened);
  const shown = { seats, of, order, names, now, onSeat: setOpened };
  return (
    <>
      <Hands seen={seen} names={names} now={now} />
      <Facts board={board} taken={seats.length} />
      <HostPart title={messages.cells}>
        <CellBars bars={histogram(board)} over={over} />
      </HostPart>
      <HostPart title={messages.seatsTitle}>
        {seats.length === 0 ? (
          <Empty
            title={messages.nobody}
            action={<LinkButton to={workshopPath(id, "screen")}>{messages.screen}</LinkButton>}
          />
        ) : (
          <>
            {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for the fields of a form. */}
            <div className="ws-bar" role="group" aria-label={messages.view}>
              <Toggle size="small" pressed={tiles} onClick={() => setTiles(true)}>
                {messages.tiles}
              </Toggle>
              <Toggle size="small" pressed={!tiles} onClick={() => setTiles(false)}>
                {messages.table}
              </Toggle>
              <LineChoice
                lead={messages.sort}
                label={messages.sort}
                value={order}
                options={messages.orders}
                onChange={setOrder}
              />
            </div>
            {tiles && <p className="ws-quiet">{messages.keys}</p>}
            {tiles ? <SeatTiles {...shown} /> : <SeatTable {...shown} />}
            {free > 0 && !over && <p>{messages.freeSeats(free)}</p>}
          </>
        )}
      </HostPart>
      {!over && (
        <HostPart title={messages.everybody}>
          <ForEverybody workshop={id} board={board} now={now} />
          <h3>{messages.time}</h3>
          <div className={projectStyles.labels}>
            <Button onClick={() => setAsking("more")}>{messages.more}</Button>
            <Button onClick={() => setAsking("end")}>{messages.end}</Button>
          </div>
        </HostPart>
      )}
      {seat && (
        <SeatDialog
          key={seat.seat}
          workshop={id}
          seat={seat}
          of={of}
          names={names}
          now={now}
          onClose={() => setOpened(undefined)}
        />
      )}
      {asking === "more" && <MoreTimeDialog workshop={workshop} onClose={() => setAsking(undefined)} />}
      {asking === "end" && <EndDialog workshop={workshop} onClose={() => setAsking(undefined)} />}
    </>
  );
}

/** Who waits longest; new hands are read out. */
function Hands({ seen: { board, before }, names, now }: { seen: BoardSeen; names: boolean; now: number }) {
  const [said, say] = useState("");
  const seats = board?.seats ?? [];
  const nameOf = ({ name }: Seat) => (names ? name : undefined);
  useEffect(() => {
    const raised = newHands(before?.seats, board?.seats ?? []);
    if (raised.length > 0) {
      say(raised.map((seat) => messages.raised(seat.seat, names ? seat.name : undefined)).join(" "));
    }
  }, [board, before, names]);
  const [first, ...others] = raisedHands(seats, now);
  return (
    <div>
      <p className="visually-hidden" role="status">
        {said}
      </p>
      {first ? (
        <Note kind="info" title={messages.longest(first.seat, nameOf(first), handSeconds(first, now))}>
          {others.length > 0 && <p>{messages.moreHands(others.length)}</p>}
        </Note>
      ) : (
        <p>{messages.noHands}</p>
      )}
    </div>
  );
}

/** The code, the time, and how full the machine is. */
function Facts({ board, taken }: { board: Board; taken: number }) {
  const { machine, code, joinAddress, endsAt, endingAt } = board;
  const facts: [name: string, value: ReactNode][] = [
    ["seats", messages.seats(taken)],
    ["machine", messages.machine(machine.used, machine.capacity)],
    ["end", endingAt ? messages.endingAt(time(endingAt)) : messages.until(time(endsAt))],
    [
      "address",
      <>
        {messages.at} <span className="ws-code">{joinAddress}</span>
      </>,
    ],
    [
      "code",
      <>
        {messages.code} <span className="ws-code">{code}</span>
      </>,
    ],
  ];
  return (
    <section className="ws-bar" aria-label={messages.facts}>
      {facts.map(([name, value]) => (
        <p key={name}>{value}</p>
      ))}
    </section>
  );
}
