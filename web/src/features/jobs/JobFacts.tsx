import { useQuery } from "@tanstack/react-query";
import { isNotFound } from "@/api/problem";
import type { Job } from "@/api/types";
import styles from "@/features/projects/ProjectPage.module.css";
import { isLive } from "@/features/sessions/jobs";
import { moment } from "@/lib/format";
import { fileSize, shortDuration } from "@/lib/measures";
import { Skeleton } from "@/ui/Loading";
import { Link } from "@/ui/router";
import { Fact } from "./Fact";
import { jobPageMessages as messages } from "./JobPage.messages";
import { cellsWords } from "./jobWords";
import { scheduleQuery } from "./queries";
import { type Source, sourceOf } from "./source";
import { timesWords } from "./times";
import { useSource } from "./useSource";

/** What a job executes, when, and what that took. */
export function JobFacts({ job }: { job: Job }) {
  const { file, ref, askedAt, startedAt, endedAt, seconds, processorSeconds, peakMemoryBytes, scheduleId } = job;
  const source = sourceOf(job);
  return (
    <dl className={styles.list}>
      {source && <Origin source={source} />}
      {file !== "" && (
        <Fact name={messages.file}>
          <code>
            <bdi>{file}</bdi>
          </code>
        </Fact>
      )}
      {ref && (
        <Fact name={messages.ref}>
          <code>
            <bdi>{ref}</bdi>
          </code>
        </Fact>
      )}
      <At name={messages.asked} at={askedAt} />
      {startedAt && <At name={messages.startedAt} at={startedAt} />}
      {endedAt && <At name={messages.ended} at={endedAt} />}
      {!isLive(job) && startedAt && <Fact name={messages.took}>{shortDuration(seconds)}</Fact>}
      {cellsWords(job.cells) && <Fact name={messages.cells}>{cellsWords(job.cells)}</Fact>}
      {processorSeconds !== undefined && processorSeconds > 0 && (
        <Fact name={messages.processor}>{shortDuration(processorSeconds)}</Fact>
      )}
      {peakMemoryBytes !== undefined && peakMemoryBytes > 0 && (
        <Fact name={messages.memory}>{messages.memoryPeak(fileSize(peakMemoryBytes))}</Fact>
      )}
      {scheduleId && (
        <Fact name={messages.schedule}>
          <OfSchedule id={scheduleId} />
        </Fact>
      )}
    </dl>
  );
}

function At({ name, at }: { name: string; at: string }) {
  return (
    <Fact name={name}>
      <time dateTime={at}>{moment(at)}</time>
    </Fact>
  );
}

function Origin({ source }: { source: Source }) {
  const { origin, error } = useSource(source);
  return (
    <Fact name={messages[source.of]}>
      {origin ? (
        <Link to={origin.page}>
          <bdi>{origin.name}</bdi>
        </Link>
      ) : error ? (
        messages.gone
      ) : (
        <Skeleton />
      )}
    </Fact>
  );
}

function OfSchedule({ id }: { id: string }) {
  const { data, error } = useQuery(scheduleQuery(id));
  if (isNotFound(error)) return messages.scheduleGone;
  return <Link to="/jobs#schedules">{data ? timesWords(data) : messages.schedule}</Link>;
}
