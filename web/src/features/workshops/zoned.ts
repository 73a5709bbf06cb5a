/** A local time of a zone as an instant. */
export interface Zoned {
  /** Milliseconds since 1970. */
  instant: number;
  /**
   * skipped: the clock goes forward over that time, which counts as much later as it goes forward; twice: the clock goes back
   * over it, and the first one counts.
   */
  kind: "exact" | "skipped" | "twice";
}

/** A date and a time of the day as fields of a form hold them: 2026-03-29 and 02:30. */
export interface Wall {
  date: string;
  time: string;
}

const day = 86_400_000; // milliseconds

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone);
  if (!format) {
    format = new Intl.DateTimeFormat("en-US-u-hc-h23-nu-latn-ca-gregory", {
      timeZone: zone,
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
    });
    formats.set(zone, format);
  }
  return format;
}

/** What a zone's clock shows at an instant, as if it were UTC. */
function clockAt(instant: number, zone: string): number {
  const parts = Object.fromEntries(
    formatOf(zone)
      .formatToParts(instant)
      .map(({ type, value }) => [type, value]),
  );
  const { year, month, day, hour, minute, second } = parts;
  return Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second));
}

/** How far a zone's clock is ahead of UTC at an instant, in milliseconds. */
export function offsetAt(instant: number, zone: string): number {
  const whole = Math.floor(instant / 1000) * 1000;
  return clockAt(whole, zone) - whole;
}

/** Whether there is a zone of that name. */
export function isZone(zone: string): boolean {
  try {
    formatOf(zone);
    return true;
  } catch {
    return false;
  }
}

/** The instant at which a zone's clock shows a local time; undefined if that is no time, or the zone isn't known. */
export function zonedInstant({ date, time }: Wall, zone: string): Zoned | undefined {
  if (!/^\d{4}-\d\d-\d\d$/.test(date) || !/^([01]\d|2[0-3]):[0-5]\d$/.test(time) || !isZone(zone)) return undefined;
  const local = Date.parse(`${date}T${time}:00Z`);
  // Browsers take February 30 for March 2, or refuse it.
  if (Number.isNaN(local) || !new Date(local).toISOString().startsWith(date)) return undefined;
  // A zone's clock changes at most once within these two days.
  const before = offsetAt(local - day, zone);
  const after = offsetAt(local + day, zone);
  const found = [...new Set([before, after])]
    .map((offset) => local - offset)
    .filter((instant) => clockAt(instant, zone) === local)
    .sort((one, other) => one - other);
  const [first] = found;
  if (first === undefined) return { instant: local - before, kind: "skipped" };
  return { instant: first, kind: found.length > 1 ? "twice" : "exact" };
}

/** What a zone's clock shows at an instant, as fields of a form hold it. */
export function wallAt(at: string | number, zone: string): Wall {
  const text = new Date(clockAt(new Date(at).getTime(), zone)).toISOString();
  return { date: text.slice(0, 10), time: text.slice(11, 16) };
}

/** The date so many days later. */
export function dateAfter(date: string, days: number): string {
  const at = Date.parse(`${date}T00:00:00Z`);
  return Number.isNaN(at) ? "" : new Date(at + days * day).toISOString().slice(0, 10);
}

/** The name of the reader's own zone. */
export const ownZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The names of all zones, with those that are needed, whatever the browser calls them. */
export function allZones(...needed: string[]): string[] {
  return [...new Set([...Intl.supportedValuesOf("timeZone"), "UTC", ...needed.filter(isZone)])].sort();
}

/** Whether the clocks of two zones show the same from one instant to another. */
export const sameClock = (instants: readonly string[], zone: string, other: string): boolean =>
  instants.every((at) => offsetAt(new Date(at).getTime(), zone) === offsetAt(new Date(at).getTime(), other));

const spans = new Map<string, Intl.DateTimeFormat>();

/** From when to when, by the clock of a zone and in the reader's language: "Mar 30, 2026, 9:00 AM – 12:00 PM". */
export function spanIn(from: string, to: string, zone: string): string {
  let format = spans.get(zone);
  if (!format) {
    format = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short", timeZone: zone });
    spans.set(zone, format);
  }
  return format.formatRange(new Date(from), new Date(to));
}

/** A moment by the clock of a zone, in the reader's language. */
export const momentIn = (at: string, zone: string): string =>
  new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short", timeZone: zone }).format(new Date(at));
