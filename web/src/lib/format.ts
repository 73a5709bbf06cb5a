// All numbers and dates are formatted here, in the locale of the visitor's browser regardless of the page's language.
const days = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
const numbers = new Intl.NumberFormat();

/** Formats the date of a time in the reader's time zone: "Aug 4, 2025". */
export function day(moment: string): string {
  const date = new Date(moment);
  return Number.isNaN(date.getTime()) ? "" : days.format(date);
}

/** A plain number: "1,284". */
export const number = (value: number): string => numbers.format(value);

// These are words, so they are in the page's language.
const spans = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const spanUnits = [
  ["year", 365 * 86_400],
  ["month", 30 * 86_400],
  ["week", 7 * 86_400],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
] as const;

/** Formats how long ago a time was, in the largest full unit: "3 days ago"; "just now" within the last minute. */
export function ago(moment: string, now = Date.now()): string {
  const seconds = (now - new Date(moment).getTime()) / 1000;
  if (Number.isNaN(seconds)) return "";
  const [unit, length] = spanUnits.find(([, each]) => seconds >= each) ?? ["now", 1];
  return unit === "now" ? "just now" : spans.format(-Math.floor(seconds / length), unit);
}

/** A number with its noun: "1 entry", "1,284 entries". */
export function count(number: number, one: string, many: string): string {
  return `${numbers.format(number)} ${number === 1 ? one : many}`;
}

const moments = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

/** Formats a date and time to the minute, in the reader's locale. */
export const moment = (at: string): string => moments.format(new Date(at));
