import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { isNotFound, messageOf } from "@/api/problem";
import type { Job } from "@/api/types";
import projectStyles from "@/features/projects/ProjectPage.module.css";
import dashboard from "@/features/sessions/DashboardPage.module.css";
import { isLive } from "@/features/sessions/jobs";
import { TellMe } from "@/features/sessions/TellMe";
import { useJobNotifications } from "@/features/sessions/useJobNotifications";
import { isId } from "@/lib/ids";
import { BackLink } from "@/ui/BackLink";
import { LinkButton } from "@/ui/Button";
import { ErrorState } from "@/ui/ErrorState";
import { Skeleton, SkeletonPlace } from "@/ui/Loading";
import { NothingHere } from "@/ui/NothingHere";
import { Page } from "@/ui/Page";
import { useParams } from "@/ui/router";
import { ExecutedNotebook } from "./ExecutedNotebook";
import { JobActions } from "./JobActions";
import { JobChanges } from "./JobChanges";
import { JobFacts } from "./JobFacts";
import { JobFiles } from "./JobFiles";
import { JobLog } from "./JobLog";
import { jobPageMessages as messages } from "./JobPage.messages";
import { JobState } from "./JobState";
import { JobValues } from "./JobValues";
import { jobQuery } from "./queries";
import { StateBadge } from "./StateBadge";

/** /jobs/:id: how far a job is, or what came out of it. */
export function JobPage() {
  const { id = "" } = useParams();
  const { data, error, isFetching, refetch } = useQuery({ ...jobQuery(id), enabled: isId(id) });
  if (!isId(id) || isNotFound(error)) {
    return <NothingHere title={messages.absent} why={messages.absentWhy} signedOut={false} />;
  }
  if (data) return <Found key={id} job={data} />;
  return (
    <Page above={<BackLink to="/jobs" />}>
      {error ? (
        <ErrorState
          title={messages.failure}
          message={messageOf(error)}
          retrying={isFetching}
          onRetry={() => void refetch()}
        />
      ) : (
        <SkeletonPlace label={messages.loading}>
          <Skeleton height="16rem" />
        </SkeletonPlace>
      )}
    </Page>
  );
}

function Found({ job }: { job: Job }) {
  const { name, kind, session, startedAt } = job;
  const jobs = useMemo(() => [job], [job]);
  useJobNotifications(jobs);
  const own = kind === "job";
  const live = isLive(job);
  const begun = own && startedAt !== undefined;
  return (
    <Page
      title={name}
      heading={<bdi>{name}</bdi>}
      above={
        <>
          <BackLink to="/jobs" />
          <div>
            <StateBadge state={job.state} />
          </div>
        </>
      }
    >
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for the fields of a form. */}
      <div className={projectStyles.actions} role="group" aria-label={messages.actions}>
        <JobActions job={job} />
        {!own && session !== "" && (
          <LinkButton to={`/sessions/${encodeURIComponent(session)}/open`} newTab>
            {messages.openSession}
          </LinkButton>
        )}
        <TellMe jobs={jobs} />
      </div>
      <div className={dashboard.parts}>
        <JobState job={job} />
        <div className={projectStyles.columns}>
          <aside className={projectStyles.facts} aria-label={messages.facts}>
            <JobFacts job={job} />
          </aside>
          <div className={projectStyles.main}>
            {own && <JobValues job={job} />}
            {own && !live && job.previous && <JobChanges job={job} previous={job.previous} />}
            {begun && !live && <JobFiles id={job.id} />}
            {begun && <ExecutedNotebook job={job} />}
            {own && !live && session !== "" && <JobLog id={job.id} />}
          </div>
        </div>
      </div>
    </Page>
  );
}
