const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

const relative = new Intl.RelativeTimeFormat("en", { numeric: "always" });
const days = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });

/**
 * When something will happen, in words that follow a verb: "in 42 minutes", "in 5 hours", "on Dec 3, 2026". Rounded
 * down, so that it promises no more time than there is; what is due is "within a minute".
 */
export function ahead(at: string, now: number): string {
  const left = new Date(at).getTime() - now;
  if (left < minute) return "within a minute";
  if (left < 2 * hour) return relative.format(Math.floor(left / minute), "minute");
  if (left < 2 * day) return relative.format(Math.floor(left / hour), "hour");
  return `on ${days.format(new Date(at))}`;
}
