/** The position of a value in a range: 0 at its beginning, 1 at its end, and 0.5 if both are equal. */
export function share(value: number, from: number, to: number): number {
  // Halves, because the range of two numbers need not be one.
  const span = to / 2 - from / 2;
  return span > 0 ? (value / 2 - from / 2) / span : 0.5;
}

/** Round values inside a range, about so many; the range's only value if it has no more. */
export function ticks(from: number, to: number, about: number): number[] {
  const rough = (to / 2 - from / 2) / (about / 2);
  const power = 10 ** Math.floor(Math.log10(rough));
  if (!(rough > 0) || !Number.isFinite(rough) || power === 0) return [from];
  const part = rough / power;
  const step = power * (part < 1.5 ? 1 : part < 3.5 ? 2 : part < 7.5 ? 5 : 10);
  const digits = Math.min(Math.max(0, -Math.floor(Math.log10(step))), 100);
  const first = Math.floor(from / step);
  const found = Array.from({ length: about * 3 }, (_, index) => Number(((first + index) * step).toFixed(digits)));
  return found.filter((each) => each >= from && each <= to);
}

/** Side of the square field that plots are drawn in; the page stretches it. */
export const field = 1000;

/** Room above and below a line, so that its extremes aren't cut in half. */
const margin = 40;

export function fieldX(value: number, from: number, to: number): number {
  return Math.round(share(value, from, to) * field);
}

export function fieldY(value: number, from: number, to: number): number {
  return Math.round(field - margin - share(value, from, to) * (field - 2 * margin));
}

/** The path of a line through points of x and y. A single point is a dot where lines have round ends. */
export function linePath(points: number[][], x: readonly [number, number], y: readonly [number, number]): string {
  const places = points.map(([px = 0, py = 0]) => `${fieldX(px, ...x)} ${fieldY(py, ...y)}`);
  return `M${places.join("L")}${places.length === 1 ? "h0" : ""}`;
}

// In the language of the page and not of the visitor: each language has its own way to write exponents.
const plain = new Intl.NumberFormat("en", { maximumSignificantDigits: 6 });
const large = new Intl.NumberFormat("en", { maximumSignificantDigits: 4, notation: "scientific" });

/** A measured number, for reading: six digits, with an exponent where they wouldn't be enough. */
export function measured(value: number): string {
  const size = Math.abs(value);
  const text = (size !== 0 && (size < 1e-4 || size >= 1e9) ? large : plain).format(value);
  return text.replace("-", "\u2212").replace("E-", "E\u2212").replace("E", "e");
}

const mean = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });

/** A number that was computed, with no more digits than people compare. */
export function rounded(value: number): string {
  return measured(Number(mean.format(value).replaceAll(",", "")));
}

/** The point of the lines whose x is nearest to one; undefined if they have none. */
export function nearest(lines: number[][][], x: number): readonly [number, number] | undefined {
  let best: readonly [number, number] | undefined;
  for (const [px = 0, py = 0] of lines.flat()) {
    if (best === undefined || Math.abs(px - x) < Math.abs(best[0] - x)) best = [px, py];
  }
  return best;
}

const day = 86_400_000;

/** Formats a time in a range of so many milliseconds, in UTC, precisely enough to distinguish the ends of the range. */
export function moment(milliseconds: number, range: number): string {
  const date = new Date(milliseconds);
  if (Number.isNaN(date.getTime())) return "";
  const text = date.toISOString().replace("T", " ").replace("Z", "");
  if (range >= 2 * day) return text.split(" ")[0] ?? "";
  return text.slice(0, text.length - (range >= 10 * 60_000 ? 7 : 4));
}
