import type { Job } from "@/api/types";
import { isLive } from "@/features/sessions/jobs";
import { moment } from "@/lib/format";
import { shortDuration } from "@/lib/measures";
import { LinkButton } from "@/ui/Button";
import rows from "@/ui/ListRow.module.css";
import { Link } from "@/ui/router";
import { jobsPageMessages as messages } from "./JobsPage.messages";
import { cellsWords, timeOf } from "./jobWords";
import { StateBadge } from "./StateBadge";

/** A job in the list: its state, when, how long, and why it failed or waits. */
export function JobRow({ job }: { job: Job }) {
  const { id, name, kind, state, session, seconds, startedAt, scheduleId, reason } = job;
  const facts = [
    startedAt && (isLive(job) ? messages.running(shortDuration(seconds)) : messages.took(shortDuration(seconds))),
    cellsWords(job.cells),
    scheduleId && messages.ofSchedule,
    kind === "finish" && messages.rest,
  ];
  return (
    <li className={rows.row}>
      <div className={rows.what}>
        <strong>
          {kind === "job" ? (
            <Link to={`/jobs/${id}`}>
              <bdi>{name}</bdi>
            </Link>
          ) : (
            <bdi>{name}</bdi>
          )}
        </strong>
        <div className={rows.line}>
          <StateBadge state={state} />
          <span className={rows.note}>
            <time dateTime={timeOf(job)}>{moment(timeOf(job))}</time>
            {facts.filter(Boolean).map((fact) => `, ${fact}`)}
          </span>
        </div>
        {reason && <p className={rows.note}>{reason}</p>}
      </div>
      {kind === "finish" && session !== "" && (
        <LinkButton
          size="small"
          to={`/sessions/${encodeURIComponent(session)}/open`}
          newTab
          aria-label={messages.openSessionOf(name)}
        >
          {messages.openSession}
        </LinkButton>
      )}
    </li>
  );
}
