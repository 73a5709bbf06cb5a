import { useEffect } from "react";
import type { Job } from "@/api/types";
import { isLive, sentenceOf } from "./jobs";

/** The jobs that were seen going on: several parts of a page may look at the same one. */
const going = new Set<string>();

/** Whether this browser shows notifications; whether its user wants them is asked later. */
export const canNotify = (): boolean => "Notification" in globalThis;

/** Returns those among jobs that have ended since they were last seen. */
export function endedAmong(jobs: readonly Job[], seen: Set<string>): Job[] {
  for (const job of jobs) if (isLive(job)) seen.add(job.id);
  return jobs.filter((job) => !isLive(job) && seen.delete(job.id));
}

/** Shows a notification for each of these jobs that ends while a page shows them, if its owner allowed that. */
export function useJobNotifications(jobs: readonly Job[] | undefined): void {
  useEffect(() => {
    for (const job of endedAmong(jobs ?? [], going)) {
      if (canNotify() && Notification.permission === "granted") new Notification(sentenceOf(job), { tag: job.id });
    }
  }, [jobs]);
}
