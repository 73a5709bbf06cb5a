import { encode } from "uqr";
import { expect, test } from "vitest";
import { qrPath } from "./qr";

test("the path draws the dark modules and no others", () => {
  const text = "https://cairn.example.org/join/k7#amber-river-stone-wolf";
  const { side, path } = qrPath(text);
  const drawn = Array.from({ length: side }, () => Array<boolean>(side).fill(false));
  for (const [, x, y, length] of path.matchAll(/M(\d+) (\d+)h(\d+)v1H\d+z/g)) {
    drawn[Number(y)]?.fill(true, Number(x), Number(x) + Number(length));
  }
  expect(drawn).toEqual(encode(text, { ecc: "M", border: 4 }).data);
  // The margin that scanners need.
  expect(drawn.slice(0, 4).flat().some(Boolean)).toBe(false);
});
