import { type UseQueryOptions, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { proportion } from "@/lib/measures";
import { Button } from "@/ui/Button";
import {
  type Comparison,
  cellsToShow,
  type Difference,
  differsInFormat,
  type Notebook,
  type NumberedCell,
} from "./comparison";
import { OutputPair, type Sides } from "./OutputPair";
import { runsMessages as messages } from "./Runs.messages";
import styles from "./Runs.module.css";

/** How many cells are shown at first. */
const shownAtFirst = 10;

interface Compared {
  /** What the two sides are called. */
  whose: Sides<string>;
  /** Fetch their notebooks, in which the pictures are. */
  notebooks: Sides<UseQueryOptions<Notebook, Error, Notebook, string[]>>;
  /** The number by which people know a cell, if it isn't that in the first of the notebooks. */
  numberOf?: (cell: NumberedCell) => number;
}

/** The cells whose outputs differ in two notebooks, side by side, the worst first. */
export function ComparedCells({ comparison, ...compared }: Compared & { comparison: Comparison }) {
  const [all, setAll] = useState(false);
  const cells = cellsToShow(comparison);
  const shown = all ? cells : cells.slice(0, shownAtFirst);
  return (
    <>
      {shown.map((cell) => (
        <Cell key={cell.author} cell={cell} {...compared} />
      ))}
      {shown.length < cells.length && (
        <div>
          <Button size="small" onClick={() => setAll(true)}>
            {messages.more(cells.length - shown.length)}
          </Button>
        </div>
      )}
    </>
  );
}

const isPicture = ({ mime }: Difference) => mime.startsWith("image/");

function Cell({ cell, whose, notebooks, numberOf }: Compared & { cell: NumberedCell }) {
  const number = numberOf?.(cell) ?? cell.number;
  const { verdict, differences = [], largestRelativeDifference: largest = 0 } = cell;
  const [open, setOpen] = useState(verdict === "DIFFERENT");
  // Only pictures aren't in the comparison.
  const enabled = open && differences.some(isPicture);
  const author = useQuery({ ...notebooks.author, enabled });
  const run = useQuery({ ...notebooks.run, enabled });
  return (
    <details className={styles.log} open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {messages.cellTitle(number)}{" "}
        <span className={styles.quiet}>{differsInFormat(cell) ? messages.format : messages.cellVerdicts[verdict]}</span>
      </summary>
      <div className={styles.stack}>
        {largest > 0 && <p className={styles.quiet}>{messages.numbers(proportion(largest))}</p>}
        {open &&
          differences.map((difference) => (
            <OutputPair
              key={`${difference.author} ${difference.run} ${difference.mime}`}
              cell={{ ...cell, number }}
              difference={difference}
              whose={whose}
              notebooks={{ author, run }}
            />
          ))}
      </div>
    </details>
  );
}
