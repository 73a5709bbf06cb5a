import { expect, it } from "vitest";
import { pollDelay } from "./polling";

const good = { failing: false, refused: false, answeredAt: 100_000, failedAt: 0 };

it("polls every two seconds while all is well", () => {
  expect(pollDelay(good)).toBe(2_000);
});

it("keeps the usual pace after trouble that is over", () => {
  expect(pollDelay({ ...good, failedAt: 99_000 })).toBe(2_000);
});

it("doubles the pause while polls fail, up to a minute", () => {
  const pauses: (number | false)[] = [];
  let clock = good.answeredAt + 2_000;
  for (let poll = 0; poll < 8; poll++) {
    const pause = pollDelay({ ...good, failing: true, failedAt: clock });
    pauses.push(pause);
    clock += Number(pause);
  }
  expect(pauses).toEqual([2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
});

it("tries again soon when the first answer never came", () => {
  expect(pollDelay({ ...good, failing: true, answeredAt: 0, failedAt: 100_000 })).toBe(5_000);
});

it("stops when nobody is signed in any more", () => {
  expect(pollDelay({ ...good, failing: true, refused: true })).toBe(false);
});
