/** How often what changes by itself, such as the list of sessions, is fetched (spec, section 9). */
export const pollInterval = 2_000;
const slowestPoll = 60_000;
const firstRetry = 5_000;

/** What polling has come to so far. */
export interface Progress {
  /** An answer came, however long ago. */
  answered: boolean;
  /** How many polls in a row got none. */
  failures: number;
  /** The server said that nobody is signed in, or that this user may not see the list. */
  refused: boolean;
}

/**
 * Milliseconds until the next poll, or false to stop. While polls fail the pause doubles each time, up to a minute; the
 * first good answer brings the usual pace back. It hangs on no clock: a computer that slept through a poll asks soon.
 */
export function pollDelay({ answered, failures, refused }: Progress): number | false {
  if (refused) return false;
  if (failures === 0) return pollInterval;
  if (!answered) return firstRetry;
  return Math.min(pollInterval * 2 ** (failures - 1), slowestPoll);
}
