import { expect, it } from "vitest";
import { pollDelay } from "./polling";

const good = { answered: true, failures: 0, refused: false };

it("polls every two seconds while all is well", () => {
  expect(pollDelay(good)).toBe(2_000);
});

it("doubles the pause while polls fail, up to a minute", () => {
  const pauses = [1, 2, 3, 4, 5, 6, 7, 2_000].map((failures) => pollDelay({ ...good, failures }));
  expect(pauses).toEqual([2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
});

it("tries again soon when the first answer never came", () => {
  expect(pollDelay({ ...good, answered: false, failures: 3 })).toBe(5_000);
});

it("stops when nobody is signed in any more", () => {
  expect(pollDelay({ ...good, failures: 1, refused: true })).toBe(false);
});
