import { queryOptions } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import type { Job } from "@/api/types";
import { jobLineMessages as messages } from "./JobLine.messages";

/** The query keys of jobs and schedules begin like this. */
export const jobsKey = ["jobs"];

const quick = 5_000; // milliseconds between looks while a job goes on
const slow = 30_000; // and else

/** Whether a job hasn't ended. */
export const isLive = ({ state }: Pick<Job, "state">): boolean => state === "QUEUED" || state === "RUNNING";

/** How soon jobs are looked at again, in milliseconds. */
export const lookInterval = (jobs: readonly Job[] | undefined): number => (jobs?.some(isLive) ? quick : slow);

/** The caller's latest jobs, newest first. */
export const jobsQuery = queryOptions({
  queryKey: [...jobsKey, "latest"],
  queryFn: async ({ signal }): Promise<Job[]> =>
    (await answer(api.GET("/api/v1/rf/jobs", { params: { query: { pageSize: 100 } }, signal }))).content,
  retry: false,
  refetchInterval: ({ state }) => lookInterval(state.data),
});

/** Cancels a job, or deletes one that has ended. */
export const endJob = (id: string): Promise<boolean> =>
  answer(api.DELETE("/api/v1/rf/jobs/{id}", { params: { path: { id } } }));

/** What a job has come to, in words. */
export function sentenceOf(job: Job): string {
  const { name, state, cells, seconds, expectedSeconds, reason, beside } = job;
  const outputs = beside ? ` ${messages.beside(beside)}` : "";
  if (state === "QUEUED" && reason) return messages.waits(name, reason);
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
