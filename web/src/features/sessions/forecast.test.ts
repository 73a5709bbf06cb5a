import { expect, it } from "vitest";
import { forecastText } from "./forecast";

const forecast = (launches: number, p50: number, p90: number) => ({
  engine: "local",
  launches,
  steps: [],
  total: { p50, p90 },
});

it.each([
  [0, 0, 0, undefined],
  [1, 0.2, 0.2, "Usually ready in 1 second."],
  [200, 2.1, 8.9, "Usually ready in 3 seconds, nine times out of ten within 9 seconds."],
  [200, 61, 600, "Usually ready in 61 seconds, nine times out of ten within 10 minutes."],
])("%d launches, %d s and %d s: %s", (launches, p50, p90, text) => {
  expect(forecastText(forecast(launches, p50, p90))).toBe(text);
});
