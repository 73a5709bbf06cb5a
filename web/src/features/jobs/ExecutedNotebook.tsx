import { useQuery } from "@tanstack/react-query";
import { Suspense, useMemo, useState } from "react";
import { messageOf } from "@/api/problem";
import type { Job } from "@/api/types";
import runStyles from "@/features/entry/runs/Runs.module.css";
import projectStyles from "@/features/projects/ProjectPage.module.css";
import { isLive } from "@/features/sessions/jobs";
import { Button } from "@/ui/Button";
import { ErrorState } from "@/ui/ErrorState";
import { Skeleton, SkeletonPlace } from "@/ui/Loading";
import { NotebookCell } from "@/ui/notebook/NotebookCell";
import { cellsOf, type ShownCell } from "./cells";
import { DownloadPart } from "./DownloadPart";
import { jobPageMessages as messages } from "./JobPage.messages";
import { notebookQuery } from "./queries";
import { nameOf } from "./source";

/** How many cells are shown at first. */
const shownAtFirst = 40;

/** The executed notebook, with its outputs as texts and pictures: nothing in it is run here. */
export function ExecutedNotebook({ job }: { job: Job }) {
  const { data, error, isFetching, refetch } = useQuery(notebookQuery(job));
  const cells = useMemo(() => data && cellsOf(data), [data]);
  const live = isLive(job);
  return (
    <section className={projectStyles.section} aria-labelledby="notebook">
      <h2 id="notebook">{live ? messages.notebookSoFar : messages.notebook}</h2>
      {!live && (
        <div>
          <DownloadPart id={job.id} part="notebook" name={nameOf(job.file) || "notebook.ipynb"} small>
            {messages.downloadNotebook}
          </DownloadPart>
        </div>
      )}
      {cells ? (
        <Cells cells={cells} failedAt={job.cells.failedAt} />
      ) : error ? (
        <ErrorState
          title={messages.notebookFailed}
          message={messageOf(error)}
          retrying={isFetching}
          onRetry={() => void refetch()}
        />
      ) : (
        <Waiting />
      )}
    </section>
  );
}

function Waiting() {
  return (
    <SkeletonPlace label={messages.notebookLoading} className={runStyles.stack}>
      <Skeleton height="4em" />
      <Skeleton height="9em" />
    </SkeletonPlace>
  );
}

function Cells({ cells, failedAt }: { cells: ShownCell[]; failedAt: number | undefined }) {
  const [all, setAll] = useState(false);
  // The one that failed can be led to.
  const most = all ? cells.length : Math.max(shownAtFirst, (failedAt ?? 0) + 1);
  if (cells.length === 0) return <p className={runStyles.quiet}>{messages.noCells}</p>;
  return (
    <Suspense fallback={<Waiting />}>
      <div className={runStyles.stack}>
        {cells.slice(0, most).map((cell) => (
          <NotebookCell key={cell.index} {...cell} number={cell.number} words={messages.outputWords} />
        ))}
        {cells.length > most && (
          <div>
            <Button size="small" onClick={() => setAll(true)}>
              {messages.moreCells(cells.length - most)}
            </Button>
          </div>
        )}
      </div>
    </Suspense>
  );
}
