const days = new Intl.DateTimeFormat("en", { dateStyle: "medium" });
const numbers = new Intl.NumberFormat("en");

/** The day of a moment, for instance "Aug 4, 2025", where the reader is. */
export function day(moment: string): string {
  const date = new Date(moment);
  return Number.isNaN(date.getTime()) ? "" : days.format(date);
}

/** A number with its noun: "1 entry", "1,284 entries". */
export function count(number: number, one: string, many: string): string {
  return `${numbers.format(number)} ${number === 1 ? one : many}`;
}
