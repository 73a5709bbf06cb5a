// What no page shows first is formatted here, apart from format.ts, which every page loads.

const digits = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 2 });
const percents = new Intl.NumberFormat(undefined, { style: "percent", maximumSignificantDigits: 2 });

/** How long something took: "less than 1 s", "41 s", "2 min", "3 h". */
export function duration(seconds: number): string {
  if (seconds < 1) return "less than 1 s";
  if (seconds < 119.5) return `${Math.round(seconds)} s`;
  if (seconds < 119.5 * 60) return `${Math.round(seconds / 60)} min`;
  return `${Math.round(seconds / 3600)} h`;
}

const short = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });

/** The same where fractions matter: "3 ms", "4.2 s", "41 s", "2 min". */
export function shortDuration(seconds: number): string {
  if (seconds < 0.9995) return `${Math.max(1, Math.round(1000 * seconds))} ms`;
  return seconds < 9.95 ? `${short.format(seconds)} s` : duration(seconds);
}

/** A part of a whole, from 0: "12%", and "3.1e-9" where percents would have too many zeros. */
export function proportion(part: number): string {
  if (part === 0 || part >= 0.0001) return percents.format(part);
  const power = Math.floor(Math.log10(part));
  return `${digits.format(part / 10 ** power)}e${power}`;
}

const sizes = ["KiB", "MiB", "GiB", "TiB", "PiB"];
const tenths = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1, useGrouping: false });

/** A size in bytes with a binary unit, as limits have: "512 bytes", "36.7 KiB", "305 MiB". The same as Bytes of humanize. */
export function fileSize(size: number): string {
  if (size < 1024) return `${size} ${size === 1 ? "byte" : "bytes"}`;
  let [value, unit] = [size / 1024, 0];
  while (value >= 1023.5 && unit < sizes.length - 1) [value, unit] = [value / 1024, unit + 1];
  return `${tenths.format(value < 100 ? value : Math.round(value))} ${sizes[unit]}`;
}

const times = new Intl.DateTimeFormat(undefined, { timeStyle: "short" });

/** Formats the time of day in this number of seconds, rounded up to the minute, in the reader's locale. */
export const timeIn = (seconds: number): string => times.format(Date.now() + 1000 * seconds + 59_999);

/** Formats the time of day of a moment to the minute, in the reader's locale. */
export const time = (at: string): string => times.format(new Date(at));
