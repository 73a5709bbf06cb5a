import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { messageOf } from "@/api/problem";
import { Button } from "@/ui/Button";
import { toast } from "@/ui/toast";
import { jobLineMessages as messages } from "./JobLine.messages";
import { endJob, isLive, jobsKey, jobsQuery, sentenceOf } from "./jobs";
import styles from "./SessionLife.module.css";
import { TellMe } from "./TellMe";
import { useJobNotifications } from "./useJobNotifications";

/** The notebook of a session that is executed without its page, or was. */
export function JobLine({ sessionId }: { sessionId: string }) {
  const queries = useQueryClient();
  const { data } = useQuery(jobsQuery);
  const jobs = useMemo(() => data?.filter(({ session }) => session === sessionId).slice(0, 1) ?? [], [data, sessionId]);
  useJobNotifications(jobs);
  const end = useMutation({
    mutationFn: endJob,
    onError: (error) => toast.error(messages.cannotEnd, messageOf(error)),
    onSettled: () => queries.invalidateQueries({ queryKey: jobsKey }),
  });
  const [job] = jobs;
  if (!job) return null;
  const live = isLive(job);
  return (
    <>
      <div className={styles.moving}>
        <p role="status">{sentenceOf(job)}</p>
        <Button
          size="small"
          className={styles.cancel}
          busy={end.isPending}
          aria-label={live ? messages.stopOf(job.name) : messages.dismissOf(job.name)}
          onClick={() => end.mutate(job.id)}
        >
          {live ? messages.stop : messages.dismiss}
        </Button>
      </div>
      <TellMe jobs={jobs} />
    </>
  );
}
