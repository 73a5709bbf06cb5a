/** How often the list of sessions is asked for (spec, section 9). */
export const pollInterval = 2_000;
const slowestPoll = 60_000;
const firstRetry = 5_000;

/** What polling has come to so far; times in milliseconds since 1970, 0 for never. */
export interface Progress {
  failing: boolean;
  /** The server said that nobody is signed in, or that the list is not for them. */
  refused: boolean;
  answeredAt: number;
  failedAt: number;
}

/**
 * Milliseconds until the next poll, or false to stop. While polls fail the pause is as long as the trouble has lasted,
 * so that it doubles each time, up to a minute; the first good answer brings the usual pace back.
 */
export function pollDelay(progress: Progress): number | false {
  if (progress.refused) {
    return false;
  }
  if (!progress.failing) {
    return pollInterval;
  }
  if (progress.answeredAt === 0) {
    return firstRetry;
  }
  return Math.min(Math.max(progress.failedAt - progress.answeredAt, pollInterval), slowestPoll);
}
