import { expect, test } from "vitest";
import { fieldY, linePath, measured, moment, nearest, rounded, share, ticks } from "./plot";

test("ticks are round, inside the range and about as many as wanted", () => {
  expect(ticks(0, 19.98, 5)).toEqual([0, 5, 10, 15]);
  expect(ticks(-70.3, 41.2, 4)).toEqual([-60, -40, -20, 0, 20, 40]);
  expect(ticks(-0.3, 0.3, 6)).toEqual([-0.3, -0.2, -0.1, 0, 0.1, 0.2, 0.3]);
  expect(ticks(1e-7, 3e-7, 4)).toEqual([1e-7, 1.5e-7, 2e-7, 2.5e-7, 3e-7]);
  expect(ticks(5, 5, 4)).toEqual([5]);
});

test("extreme ranges have ticks that are numbers and no more than can be read", () => {
  for (const [from, to] of [
    [-1.7e308, 1.7e308],
    [0, 5e-324],
    [1e300, 1.0000000000000002e300],
    [-1e-320, 1e-320],
  ] as const) {
    const found = ticks(from, to, 5);
    expect(found.length).toBeLessThanOrEqual(15);
    for (const each of found) expect(each >= from && each <= to).toBe(true);
  }
});

test("shares go from 0 to 1, however large the range", () => {
  expect(share(5, 0, 20)).toBe(0.25);
  expect(share(0, -1.7e308, 1.7e308)).toBe(0.5);
  expect(share(7, 7, 7)).toBe(0.5);
});

test("a line goes through its points from the lower left", () => {
  expect(linePath([[0, 0], [10, 1]], [0, 10], [0, 1])).toBe("M0 960L1000 40"); // biome-ignore format: points
  expect(linePath([[5, 3]], [0, 10], [3, 3])).toBe("M500 500h0");
  expect(fieldY(2, 0, 2)).toBeLessThan(fieldY(1, 0, 2));
});

test("numbers are written to be read", () => {
  expect([0, -61.94321987, 1344, 0.00002, 1.5e12, -3e-9].map(measured)).toEqual([
    "0",
    "\u221261.9432",
    "1,344",
    "2e\u22125",
    "1.5e12",
    "\u22123e\u22129",
  ]);
});

test("moments are written as far as they differ", () => {
  const noon = Date.UTC(2026, 0, 31, 12);
  expect(moment(noon, 86_400_000 * 30)).toBe("2026-01-31");
  expect(moment(noon, 3_600_000)).toBe("2026-01-31 12:00");
  expect(moment(noon + 1500, 5_000)).toBe("2026-01-31 12:00:01");
  expect(moment(9e15, 1)).toBe("");
});

test("numbers that were computed have three digits", () => {
  expect([4.09234, -65.4321, 12_345, 0].map(rounded)).toEqual(["4.09", "\u221265.4", "12,300", "0"]);
});

test("the nearest point is found in all lines", () => {
  const lines = [
    [
      [0, 5],
      [1, 6],
    ],
    [[4, 7]],
  ];
  expect(nearest(lines, 0.4)).toEqual([0, 5]);
  expect(nearest(lines, 3)).toEqual([4, 7]);
  expect(nearest([], 3)).toBeUndefined();
});
