import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useConfig } from "@/api/config";
import { entryKeys } from "@/api/entries";
import { messageOf } from "@/api/problem";
import type { Resource } from "@/api/types";
import { useVersion } from "@/api/version";
import { useAuth } from "@/features/identity/useAuth";
import { Empty } from "@/ui/Empty";
import { ErrorState } from "@/ui/ErrorState";
import { Skeleton, SkeletonPlace } from "@/ui/Loading";
import { isLive, runsQuery } from "./queries";
import { RunButtons } from "./RunButtons";
import { RunHistory } from "./RunHistory";
import { RunReport } from "./RunReport";
import { runsMessages as messages } from "./Runs.messages";
import styles from "./Runs.module.css";

/** How an entry ran when the catalog ran it: the history, and one of the runs in full. */
export function Runs({ resource }: { resource: Resource }) {
  const { id, canDelete, canCurate, runNote } = resource;
  const { state } = useAuth();
  const runsHere = useConfig().runs === true;
  const client = useQueryClient();
  const [chosen, setChosen] = useState<string>();
  const { data, error, isFetching, refetch } = useQuery({
    ...runsQuery(id, useVersion()),
    enabled: state !== "loading",
  });
  const live = data?.content.some(isLive);

  // Its badge says what the run came to.
  useEffect(() => {
    if (live) return () => void client.invalidateQueries({ queryKey: entryKeys.all });
  }, [live, client]);

  if (!data) {
    if (error)
      return (
        <ErrorState
          title={messages.failure}
          message={messageOf(error)}
          onRetry={() => void refetch()}
          retrying={isFetching}
        />
      );
    return (
      <SkeletonPlace label={messages.loading} className={styles.stack}>
        <Skeleton height="28px" />
        <Skeleton height="12em" />
      </SkeletonPlace>
    );
  }
  const run = data.content.find((each) => each.id === chosen) ?? data.content[0];
  const buttons = runsHere && (canDelete || canCurate) && runNote === undefined && (
    <RunButtons resource={resource} run={run} onStarted={setChosen} />
  );
  if (run === undefined) {
    return (
      <Empty title={runsHere ? messages.never : messages.nowhere} action={buttons}>
        <p>{runsHere ? messages.whatRunsAre : messages.noRuns}</p>
      </Empty>
    );
  }
  return (
    <div className={styles.stack}>
      <p className={styles.quiet}>{messages.whatRunsAre}</p>
      <div className={styles.top}>
        <RunHistory runs={data.content} shown={run} onShow={setChosen} />
        {buttons}
      </div>
      {data.totalElements > data.content.length && (
        <p className={styles.quiet}>{messages.latest(data.content.length, data.totalElements)}</p>
      )}
      {error && live && <p className={styles.quiet}>{messages.outOfDate(messageOf(error))}</p>}
      <RunReport key={run.id} run={run} resource={resource} />
    </div>
  );
}
