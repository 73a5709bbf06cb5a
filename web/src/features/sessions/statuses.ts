import type { Session } from "@/api/types";
import type { Tone } from "@/ui/tone";

export type Status = Session["status"];

/** The color of each state; the order is that of the filter. */
export const statusTones: Record<Status, Tone> = {
  CREATED: "green",
  RUNNING: "blue",
  FINISHED: "purple",
  TERMINATED: "grey",
  ERROR: "red",
  DELETED: "grey",
};

/** Those that the list of sessions has; deleted ones are apart. */
export const statuses = (Object.keys(statusTones) as Status[]).filter((status) => status !== "DELETED");

/** Sessions in these states count towards the limit. */
export function countsTowardsLimit({ status }: Session): boolean {
  return status === "CREATED" || status === "RUNNING";
}
