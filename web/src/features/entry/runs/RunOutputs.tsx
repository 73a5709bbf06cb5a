import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { messageOf } from "@/api/problem";
import type { Run } from "@/api/types";
import { proportion } from "@/lib/measures";
import { Button } from "@/ui/Button";
import { ErrorState } from "@/ui/ErrorState";
import { cellsToShow, type Difference, differsInFormat, type NumberedCell } from "./comparison";
import { OutputPair } from "./OutputPair";
import { comparisonQuery, notebookQuery } from "./queries";
import { runsMessages as messages } from "./Runs.messages";
import styles from "./Runs.module.css";

/** How many cells are shown at first. */
const shownAtFirst = 10;

/** The outputs of a run beside those that the author stored, the different ones first. */
export function RunOutputs({ run }: { run: Run }) {
  const { data, error, refetch, isFetching } = useQuery(comparisonQuery(run));
  const [all, setAll] = useState(false);
  const cells = data ? cellsToShow(data) : [];
  const shown = all ? cells : cells.slice(0, shownAtFirst);
  return (
    <div className={styles.stack}>
      <h3>{messages.outputs}</h3>
      {run.cells.same > 0 && <p className={styles.quiet}>{messages.same(run.cells.same)}</p>}
      {error && (
        <ErrorState
          title={messages.compareFailure}
          message={messageOf(error)}
          onRetry={() => void refetch()}
          retrying={isFetching}
        />
      )}
      {shown.map((cell) => (
        <Cell key={cell.author} run={run} cell={cell} />
      ))}
      {shown.length < cells.length && (
        <div>
          <Button size="small" onClick={() => setAll(true)}>
            {messages.more(cells.length - shown.length)}
          </Button>
        </div>
      )}
    </div>
  );
}

const isPicture = ({ mime }: Difference) => mime.startsWith("image/");

function Cell({ run, cell }: { run: Run; cell: NumberedCell }) {
  const { number, verdict, differences = [], largestRelativeDifference: largest = 0 } = cell;
  const [open, setOpen] = useState(verdict === "DIFFERENT");
  // Only pictures aren't in the comparison.
  const enabled = open && differences.some(isPicture);
  const authors = useQuery({ ...notebookQuery(run, "author"), enabled });
  const runs = useQuery({ ...notebookQuery(run, "notebook"), enabled });
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
              cell={cell}
              difference={difference}
              notebooks={{ author: authors, run: runs }}
            />
          ))}
      </div>
    </details>
  );
}
