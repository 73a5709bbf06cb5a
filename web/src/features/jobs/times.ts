import type { JobTimes, Schedule } from "@/api/types";
import { day } from "@/lib/format";
import { timesMessages as messages } from "./times.messages";

/** When a job is wanted, as the form's fields hold it. */
export interface Times {
  every: JobTimes["every"] | "now";
  /** From 1, Monday. */
  weekday: number;
  monthday: number;
  /** Such as 03:00. */
  at: string;
}

/** The fields at first, on a day. */
export const firstTimes = (today: Date): Times => ({
  every: "now",
  weekday: ((today.getDay() + 6) % 7) + 1,
  monthday: today.getDate(),
  at: "03:00",
});

/** The name of the browser's time zone. */
export const timeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Whether a text is a time of the day that the server takes. */
export const isTime = (text: string): boolean => /^([01]\d|2[0-3]):[0-5]\d$/.test(text);

/** What is asked for; undefined for once, now. */
export function timesOf({ every, weekday, monthday, at }: Times, timezone: string): JobTimes | undefined {
  if (every === "now") return undefined;
  const on = every === "week" ? weekday : every === "month" ? monthday : undefined;
  return { every, at, timezone, ...(on !== undefined && { on }) };
}

/** Such as "Every Monday at 03:00 (Europe/Berlin)". */
export function timesWords({ every, on = 1, at, timezone, until }: Pick<Schedule, keyof JobTimes>): string {
  const words = every === "day" ? messages.day(at, timezone) : messages[every](on, at, timezone);
  return until === undefined ? words : messages.until(words, day(until));
}
