import { expect, it } from "vitest";
import { forecastText, tookText } from "./forecast";

const forecast = (launches: number, p50: number, p90: number) => ({
  engine: "local",
  launches,
  steps: [],
  total: { p50, p90 },
});

it.each([
  [0, 0, 0, undefined],
  [1, 0.2, 0.2, "Usually ready in 1 second."],
  [200, 2.1, 8.9, "Usually ready in 3 seconds, 90% within 9 seconds."],
  [200, 61, 600, "Usually ready in 61 seconds, 90% within 10 minutes."],
])("%d launches, %d s and %d s: %s", (launches, p50, p90, text) => {
  expect(forecastText(forecast(launches, p50, p90))).toBe(text);
});

const tookALot = "When the catalog last ran it, its cells took 41 s and at most 3 GiB of memory.";

it.each([
  [undefined, 2 * 2 ** 30, undefined],
  [{ seconds: 0 }, 2 * 2 ** 30, undefined],
  [{ seconds: 41.2 }, 2 * 2 ** 30, "When the catalog last ran it, its cells took 41 s."],
  [{ seconds: 41.2, peakMemoryBytes: 3 * 2 ** 30 }, undefined, tookALot],
  [{ seconds: 41.2, peakMemoryBytes: 3 * 2 ** 30 }, 3 * 2 ** 30, tookALot],
  [
    { seconds: 41, peakMemoryBytes: 3 * 2 ** 30 },
    2 * 2 ** 30,
    `${tookALot} That is more than a session here has (2 GiB), so it may fail.`,
  ],
  [
    { seconds: 600, verdict: "NEEDS", needs: "time" },
    2e9,
    "When the catalog last ran it, it was stopped after 10 min.",
  ],
  [{ seconds: 3, verdict: "FAILED" }, 2e9, "When the catalog last ran it, it ended early, after 3 s."],
  [
    { seconds: 41, verdict: "NEEDS", needs: "memory", peakMemoryBytes: 3e9 },
    3e9,
    "When the catalog last ran it, it ended early, after 41 s, having used at most 2.8 GiB of memory.",
  ],
])("a run that took %j where sessions have %s bytes: %s", (took, limit, text) => {
  expect(tookText(took, limit)).toBe(text);
});
