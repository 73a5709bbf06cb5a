import { day as dayOf } from "@/lib/format";
import { momentMessages as messages } from "./moments.messages";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/**
 * When something will happen, in words that follow a verb: "in 42 minutes", "in 5 hours", "on Dec 3, 2026". Rounded
 * down, so that it promises no more time than there is; what is due is "within a minute".
 */
export function ahead(at: string, now: number): string {
  const left = new Date(at).getTime() - now;
  if (left < minute) return messages.soon;
  return left < 2 * day ? messages.within(span(left)) : messages.day(dayOf(at));
}

function span(milliseconds: number): string {
  return milliseconds < 2 * hour
    ? messages.minutes(Math.floor(milliseconds / minute))
    : messages.hours(Math.floor(milliseconds / hour));
}

/** The day until which what is deleted now can be undeleted; undefined: forever. `keeps` is in seconds. */
export function undeleteEnd(keeps: number | undefined, now = Date.now()): string | undefined {
  return keeps === undefined ? undefined : dayOf(new Date(now + 1000 * keeps).toISOString());
}
