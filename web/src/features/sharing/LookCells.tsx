import { memo, type RefObject, Suspense, useEffect, useMemo, useRef, useState } from "react";
import type { LookCell } from "@/api/types";
import runStyles from "@/features/entry/runs/Runs.module.css";
import { Badge } from "@/ui/Badge";
import { Button } from "@/ui/Button";
import { Skeleton, SkeletonPlace } from "@/ui/Loading";
import { NotebookCell } from "@/ui/notebook/NotebookCell";
import { type Output, shownOutputs } from "@/ui/notebook/outputs";
import type { Tone } from "@/ui/tone";
import { seeMessages as messages } from "./see.messages";
import { runningCell } from "./view";

/** How many cells are shown at first. */
const shownAtFirst = 40;

interface LookCellsProps {
  cells: readonly LookCell[];
  /** The cell that is executed is brought into view, unless its reader has scrolled away. */
  following: boolean;
}

/** The cells of a notebook as they are executed. Only those that change are drawn again. */
export function LookCells({ cells, following }: LookCellsProps) {
  const [all, setAll] = useState(false);
  const running = runningCell(cells);
  const list = useRef<HTMLDivElement>(null);
  const most = all ? cells.length : Math.max(shownAtFirst, running + 1);
  let codes = 0;
  return (
    <div ref={list} className={runStyles.stack}>
      <Suspense
        fallback={
          <SkeletonPlace label={messages.notebookLoading}>
            <Skeleton height="12em" />
          </SkeletonPlace>
        }
      >
        {cells.slice(0, most).map((cell, index) => {
          if (cell.kind === "code") codes += 1;
          // biome-ignore lint/suspicious/noArrayIndexKey: their ids are a stranger's, and may be the same.
          return <Cell key={index} cell={cell} index={index} number={cell.kind === "code" ? codes : undefined} />;
        })}
        <Followed list={list} running={running} following={following} />
      </Suspense>
      {cells.length > most && (
        <div>
          <Button size="small" onClick={() => setAll(true)}>
            {messages.moreCells(cells.length - most)}
          </Button>
        </div>
      )}
    </div>
  );
}

const tones: Record<keyof typeof messages.states, Tone> = {
  waiting: "grey",
  running: "blue",
  input: "amber",
  ok: "green",
  error: "red",
  aborted: "grey",
  lost: "red",
};

const isState = (state: string): state is keyof typeof tones => Object.hasOwn(tones, state);

const Cell = memo(function Cell({
  cell,
  index,
  number,
}: {
  cell: LookCell;
  index: number;
  number: number | undefined;
}) {
  const { kind, source, state, outputs } = cell;
  // What it is was checked by no server.
  const shown = useMemo(() => shownOutputs(outputs as Output[]), [outputs]);
  return (
    <NotebookCell
      index={index}
      number={number}
      kind={kind}
      source={source}
      outputs={shown}
      words={messages.outputWords}
      state={isState(state) && <Badge tone={tones[state]}>{messages.states[state]}</Badge>}
    />
  );
});

interface FollowedProps {
  list: RefObject<HTMLDivElement | null>;
  running: number;
  following: boolean;
}

/** Brings the cell that is executed into view when that is another one. Among the cells, so that they are there. */
function Followed({ list, running, following }: FollowedProps) {
  /** The last cell that was brought into view. */
  const last = useRef<Element>(null);
  useEffect(() => {
    if (!following) {
      last.current = null;
      return;
    }
    const cell = running < 0 ? null : list.current?.querySelector(`#cell-${running}`);
    if (!cell || (last.current && !isInView(last.current))) return;
    last.current = cell;
    if (!hasRoom(cell)) cell.scrollIntoView({ block: "center" });
  }, [list, running, following]);
  return null;
}

/** Whether a cell is in view with some room for what it may print. */
function hasRoom(cell: Element): boolean {
  const { top, bottom } = cell.getBoundingClientRect();
  return top > 0.1 * window.innerHeight && bottom < 0.7 * window.innerHeight;
}

function isInView(element: Element): boolean {
  const { top, bottom } = element.getBoundingClientRect();
  return element.isConnected && bottom > 0 && top < window.innerHeight;
}
