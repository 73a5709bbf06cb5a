import { useQuery } from "@tanstack/react-query";
import { messageOf } from "@/api/problem";
import type { Run } from "@/api/types";
import { ErrorState } from "@/ui/ErrorState";
import { ComparedCells } from "./ComparedCells";
import { comparisonQuery, notebookQuery } from "./queries";
import { runsMessages as messages } from "./Runs.messages";
import styles from "./Runs.module.css";

/** The outputs of a run beside those that the author stored, the different ones first. */
export function RunOutputs({ run }: { run: Run }) {
  const { data, error, refetch, isFetching } = useQuery(comparisonQuery(run));
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
      {data && (
        <ComparedCells
          comparison={data}
          whose={messages.whose}
          notebooks={{ author: notebookQuery(run, "author"), run: notebookQuery(run, "notebook") }}
        />
      )}
    </div>
  );
}
