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

/** Bytes as people read them: "812 bytes", "225 kB", "6.2 MB". */
export function fileSize(bytes: number): string {
  const [unit, size] = bytes >= 1e6 ? (["megabyte", 1e6] as const) : (["kilobyte", 1e3] as const);
  if (bytes < 1000) return count(bytes, "byte", "bytes");
  const digits = { maximumSignificantDigits: bytes / size < 10 ? 2 : 3 };
  return new Intl.NumberFormat("en", { style: "unit", unit, ...digits }).format(bytes / size);
}
