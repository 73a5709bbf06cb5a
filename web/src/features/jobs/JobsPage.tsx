import { useQuery } from "@tanstack/react-query";
import { messageOf } from "@/api/problem";
import type { JobPage } from "@/api/types";
import dashboard from "@/features/sessions/DashboardPage.module.css";
import { TellMe } from "@/features/sessions/TellMe";
import { useJobNotifications } from "@/features/sessions/useJobNotifications";
import { BackLink } from "@/ui/BackLink";
import { LinkButton } from "@/ui/Button";
import { Empty } from "@/ui/Empty";
import { ErrorState } from "@/ui/ErrorState";
import { PagedList } from "@/ui/list/PagedList";
import { Page } from "@/ui/Page";
import { useSearchParams } from "@/ui/router";
import { DeletedJobs } from "./DeletedJobs";
import { JobRow } from "./JobRow";
import { jobsPageMessages as messages } from "./JobsPage.messages";
import { jobPageQuery, pageSize, schedulesQuery } from "./queries";
import { RowSkeletons } from "./RowSkeletons";
import { Schedules } from "./Schedules";

/** /jobs: what runs or ran without its user, and what is scheduled. */
export function JobsPage() {
  const [params] = useSearchParams();
  const page = Math.max(1, Math.trunc(Number(params.get("page"))) || 1);
  const jobs = useQuery(jobPageQuery(page));
  const schedules = useQuery(schedulesQuery);
  useJobNotifications(jobs.data?.content);
  const empty = jobs.data?.totalElements === 0;
  const nothing = empty && schedules.data?.length === 0;
  return (
    <Page
      subtitle={messages.subtitle}
      above={<BackLink to="/sessions" />}
      actions={<TellMe jobs={jobs.data?.content ?? []} />}
    >
      <div className={dashboard.parts}>
        {nothing ? (
          <Empty title={messages.nothing} action={<LinkButton to="/resources">{messages.browse}</LinkButton>}>
            <p>{messages.nothingWhy}</p>
            <p>{messages.where}</p>
          </Empty>
        ) : (
          <section aria-labelledby="jobs">
            <h2 id="jobs">{messages.jobs}</h2>
            {jobs.data ? (
              <Jobs jobs={jobs.data} page={page} busy={jobs.isPlaceholderData} />
            ) : jobs.error ? (
              <ErrorState
                title={messages.failed}
                message={messageOf(jobs.error)}
                retrying={jobs.isFetching}
                onRetry={() => void jobs.refetch()}
              />
            ) : (
              <RowSkeletons label={messages.loading} />
            )}
          </section>
        )}
        <Schedules schedules={schedules} />
        {jobs.data && <DeletedJobs />}
      </div>
    </Page>
  );
}

interface JobsProps {
  jobs: JobPage;
  /** Counted from 1. */
  page: number;
  /** They are of another page until these are loaded. */
  busy: boolean;
}

function Jobs({ jobs: { content, totalElements }, page, busy }: JobsProps) {
  const [, setParams] = useSearchParams();
  if (totalElements === 0) return <p>{messages.none}</p>;
  if (content.length === 0 && !busy) {
    return <Empty title={messages.noMore} action={<LinkButton to="/jobs">{messages.first}</LinkButton>} />;
  }
  return (
    <PagedList
      label={messages.list}
      total={messages.total(totalElements)}
      busy={busy}
      page={page}
      pages={Math.ceil(totalElements / pageSize)}
      onPage={(next) => setParams({ page: String(next) })}
    >
      {content.map((job) => (
        <JobRow key={job.id} job={job} />
      ))}
    </PagedList>
  );
}
