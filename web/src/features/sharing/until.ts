/** Until when something is shared, as it's chosen. */
export type UntilChoice = "hour" | "day" | "session";

const hour = 3_600_000; // milliseconds

/** What the server takes: a time, or that it ends with the session. */
export function untilOf(choice: UntilChoice, now: Date): string {
  if (choice === "session") return choice;
  return new Date(now.getTime() + (choice === "hour" ? hour : 24 * hour)).toISOString();
}

/** Whether a session can be shared until it ends: it has to run, or begin to. */
export const endsSomeTime = ({ status, requestedStatus }: { status: string; requestedStatus?: string }): boolean =>
  (status === "CREATED" || status === "RUNNING") && requestedStatus !== "TERMINATED";
