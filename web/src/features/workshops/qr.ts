import { encode } from "uqr";

/** A QR code as what an SVG draws: the side of its square, and the path of its dark modules. */
export function qrPath(text: string): { side: number; path: string } {
  // With the margin that scanners need.
  const { data, size } = encode(text, { ecc: "M", border: 4 });
  const path = data
    .flatMap((row, y) => row.map((dark, x) => (dark && !row[x - 1] ? `M${x} ${y}h${runOf(row, x)}v1H${x}z` : "")))
    .join("");
  return { side: size, path };
}

/** How many modules are dark from there on. */
function runOf(row: readonly boolean[], from: number): number {
  const end = row.indexOf(false, from);
  return (end < 0 ? row.length : end) - from;
}
