import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { answer, api } from "@/api/client";
import { messageOf } from "@/api/problem";
import type { components } from "@/api/schema";
import { Button } from "@/ui/Button";
import { toast } from "@/ui/toast";
import { jobLineMessages as messages } from "./JobLine.messages";
import styles from "./SessionLife.module.css";

export type Job = components["schemas"]["Job"];

const jobsKey = ["jobs"];
const quick = 5_000; // milliseconds between looks while a job goes on
const slow = 30_000; // and else

const isLive = ({ state }: Job) => state === "QUEUED" || state === "RUNNING";

/** The caller's latest jobs, newest first. */
const jobsQuery = queryOptions({
  queryKey: jobsKey,
  queryFn: async ({ signal }): Promise<Job[]> =>
    (await answer(api.GET("/api/v1/rf/jobs", { params: { query: { pageSize: 100 } }, signal }))).content,
  retry: false,
  refetchInterval: ({ state }) => (state.data?.some(isLive) ? quick : slow),
});

/** What a job has come to, in words. */
export function sentenceOf(job: Job): string {
  const { name, state, cells, seconds, expectedSeconds, reason, beside } = job;
  const outputs = beside ? ` ${messages.beside(beside)}` : "";
  if (isLive(job)) {
    const parts = [
      cells.total > 0
        ? messages.running(name, Math.min(cells.done + 1, cells.total), cells.total)
        : messages.starting(name),
      seconds >= 60 && messages.took(seconds),
      expectedSeconds !== undefined && expectedSeconds >= 60 && messages.expected(expectedSeconds),
    ];
    return parts.filter(Boolean).join(", ") + outputs;
  }
  if (state === "DONE") return messages.done(name, seconds) + outputs;
  if (state === "CANCELED") return messages.canceled(name, cells.done, cells.total) + outputs;
  return messages.failed(name, reason ?? "") + outputs;
}

/** Shows a notification once a job that went on has ended, if its owner allowed that. */
function useNotification(job: Job | undefined) {
  const live = useRef<string>(undefined);
  useEffect(() => {
    if (!job) return;
    if (isLive(job)) live.current = job.id;
    else if (live.current === job.id) {
      live.current = undefined;
      if (canNotify() && Notification.permission === "granted") new Notification(sentenceOf(job), { tag: job.id });
    }
  }, [job]);
}

const canNotify = () => "Notification" in globalThis;

/** The notebook of a session that is executed without its page, or was. */
export function JobLine({ sessionId }: { sessionId: string }) {
  const queries = useQueryClient();
  const { data } = useQuery(jobsQuery);
  const job = data?.find(({ session }) => session === sessionId);
  useNotification(job);
  const [asked, setAsked] = useState(false);
  const end = useMutation({
    mutationFn: (id: string) => answer(api.DELETE("/api/v1/rf/jobs/{id}", { params: { path: { id } } })),
    onError: (error) => toast.error(messages.cannotEnd, messageOf(error)),
    onSettled: () => queries.invalidateQueries({ queryKey: jobsKey }),
  });
  if (!job) return null;
  const live = isLive(job);
  const mayAsk = live && !asked && canNotify() && Notification.permission === "default";
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
      {mayAsk && (
        <Button
          size="small"
          variant="quiet"
          onClick={() => void Notification.requestPermission().finally(() => setAsked(true))}
        >
          {messages.tell}
        </Button>
      )}
    </>
  );
}
