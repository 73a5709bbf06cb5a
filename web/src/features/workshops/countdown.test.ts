import { expect, test } from "vitest";
import { countdown } from "./countdown";

test.each([
  [0, "0 seconds"],
  [-5, "0 seconds"],
  [0.2, "1 second"],
  [119, "119 seconds"],
  [121, "3 minutes"],
  [59 * 60, "59 minutes"],
  [3600, "1 hour"],
  [3600 + 299, "1 hour 5 minutes"],
  [24 * 3600, "1 day"],
  [50 * 3600, "2 days 2 hours"],
])("%d s are %s", (seconds, text) => {
  expect(countdown(1000 * seconds)).toBe(text);
});
