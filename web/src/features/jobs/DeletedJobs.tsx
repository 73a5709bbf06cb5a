import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { messageOf } from "@/api/problem";
import type { Job } from "@/api/types";
import runStyles from "@/features/entry/runs/Runs.module.css";
import { jobsKey } from "@/features/sessions/jobs";
import { moment } from "@/lib/format";
import { Button } from "@/ui/Button";
import rows from "@/ui/ListRow.module.css";
import { toast } from "@/ui/toast";
import { jobsPageMessages as messages } from "./JobsPage.messages";
import { deletedJobsQuery, undeleteJob } from "./queries";
import { StateBadge } from "./StateBadge";

/** Deleted jobs that can still be brought back, read when somebody asks for them. */
export function DeletedJobs() {
  const [open, setOpen] = useState(false);
  const { data, error } = useQuery({ ...deletedJobsQuery, enabled: open });
  const summary = useRef<HTMLElement>(null);
  return (
    <details className={runStyles.log} open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary ref={summary}>{messages.recently}</summary>
      <p className={rows.note} role="status">
        {error
          ? messages.recentlyFailed(messageOf(error))
          : !data
            ? messages.recentlyLoading
            : data.length === 0
              ? messages.recentlyNone
              : messages.recentlyMeans}
      </p>
      {data && data.length > 0 && (
        <ul aria-label={messages.recently} className={rows.what}>
          {data.map((job) => (
            // The button that had the focus goes away with its row.
            <DeletedRow key={job.id} job={job} onUndeleted={() => summary.current?.focus()} />
          ))}
        </ul>
      )}
    </details>
  );
}

function DeletedRow({ job: { id, name, state, deletedAt }, onUndeleted }: { job: Job; onUndeleted: () => void }) {
  const queries = useQueryClient();
  const undelete = useMutation({
    mutationFn: () => undeleteJob(id),
    onSuccess: async () => {
      toast.success(messages.undeleted, name);
      onUndeleted();
      await queries.invalidateQueries({ queryKey: jobsKey });
    },
    onError: (error) => toast.error(messages.notUndeleted, messageOf(error)),
  });
  return (
    <li className={rows.row}>
      <div className={rows.what}>
        <strong>
          <bdi>{name}</bdi>
        </strong>
        <div className={rows.line}>
          <StateBadge state={state} />
          {deletedAt && <span className={rows.note}>{messages.deletedAt(moment(deletedAt))}</span>}
        </div>
      </div>
      <Button
        size="small"
        busy={undelete.isPending}
        aria-label={messages.undeleteOne(name)}
        onClick={() => undelete.mutate()}
      >
        {messages.undelete}
      </Button>
    </li>
  );
}
