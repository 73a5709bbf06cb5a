import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { messageOf } from "@/api/problem";
import type { Job } from "@/api/types";
import { ComparedCells } from "@/features/entry/runs/ComparedCells";
import { cellsToShow } from "@/features/entry/runs/comparison";
import runStyles from "@/features/entry/runs/Runs.module.css";
import projectStyles from "@/features/projects/ProjectPage.module.css";
import { moment } from "@/lib/format";
import { ErrorState } from "@/ui/ErrorState";
import { Filled } from "@/ui/Filled";
import { Skeleton, SkeletonPlace } from "@/ui/Loading";
import { Link } from "@/ui/router";
import { cellsOf } from "./cells";
import { countsWords } from "./changes";
import { jobPageMessages as messages } from "./JobPage.messages";
import { changesQuery, comparedNotebookQuery, jobQuery, notebookQuery } from "./queries";

interface JobChangesProps {
  job: Job;
  /** The id of the job before it on the same file. */
  previous: string;
}

/** How the outputs of a job differ from those of the job before, cell by cell. */
export function JobChanges({ job, previous }: JobChangesProps) {
  const { id } = job;
  const executed = useQuery(notebookQuery(job)).data;
  // In the job before, other values may have been set, or none: that is one cell more or less.
  const numbers = useMemo(
    () => new Map(executed && cellsOf(executed).map(({ index, number }) => [index, number])),
    [executed],
  );
  const before = useQuery({ ...jobQuery(previous), refetchInterval: false });
  const { data, error, isFetching, refetch } = useQuery(changesQuery(id));
  if (before.error) return null; // deleted meanwhile
  return (
    <section className={projectStyles.section} aria-labelledby="changes">
      <h2 id="changes">{messages.changes}</h2>
      {before.data && (
        <p className={runStyles.quiet}>
          <Filled
            text={messages.changesSince}
            values={{
              job: (
                <Link to={`/jobs/${previous}`}>
                  {messages.jobOf(moment(before.data.startedAt ?? before.data.askedAt))}
                </Link>
              ),
            }}
          />
        </p>
      )}
      {data ? (
        <>
          <p>{countsWords(data.counts)}</p>
          {data.cells.map(({ run, failed }, index) => {
            const number = numbers.get(run);
            // biome-ignore lint/suspicious/noArrayIndexKey: the cells never change.
            return failed && number && <p key={index}>{messages.failedIn(number, failed)}</p>;
          })}
          {cellsToShow(data).length > 0 && <h3>{messages.outputs}</h3>}
          <ComparedCells
            comparison={data}
            whose={messages.whose}
            notebooks={{ author: comparedNotebookQuery(previous), run: comparedNotebookQuery(id) }}
            numberOf={({ run, number }) => numbers.get(run) ?? number}
          />
        </>
      ) : error ? (
        <ErrorState
          title={messages.changesFailed}
          message={messageOf(error)}
          retrying={isFetching}
          onRetry={() => void refetch()}
        />
      ) : (
        <SkeletonPlace label={messages.comparing}>
          <Skeleton height="8em" />
        </SkeletonPlace>
      )}
    </section>
  );
}
