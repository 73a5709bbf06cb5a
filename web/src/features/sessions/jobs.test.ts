import { expect, it } from "vitest";
import type { Job } from "@/api/types";
import { sentenceOf } from "./jobs";
import { endedAmong } from "./useJobNotifications";

const job: Job = {
  ...{ id: "1", name: "first.ipynb", kind: "finish", session: "2", file: "a/first.ipynb", state: "RUNNING" },
  ...{ cells: { total: 30, done: 11 }, askedAt: "2026-11-29T10:00:00Z", seconds: 2460, expectedSeconds: 7200 },
};

it.each<[Partial<Job>, string]>([
  [{}, "Running first.ipynb to the end: cell 12 of 30, 41 min, last time 2 h"],
  [{ seconds: 5, expectedSeconds: 0 }, "Running first.ipynb to the end: cell 12 of 30"],
  [{ state: "QUEUED", cells: { total: 0, done: 0 }, seconds: 0, expectedSeconds: 0 }, "Running first.ipynb to the end"],
  [
    { state: "QUEUED", reason: "It waits for another of your jobs." },
    "first.ipynb is waiting. It waits for another of your jobs.",
  ],
  [{ state: "DONE" }, "first.ipynb ran to the end in 41 min."],
  [{ state: "CANCELED" }, "first.ipynb was stopped after 11 of 30 cells."],
  [
    { state: "FAILED", reason: "Cell 12 of 30 failed: ValueError: no." },
    "first.ipynb: Cell 12 of 30 failed: ValueError: no.",
  ],
  [
    { state: "DONE", beside: "a/first (finished 2026-11-29 10.41).ipynb" },
    "first.ipynb ran to the end in 41 min. Its outputs are in a/first (finished 2026-11-29 10.41).ipynb, because the notebook was changed meanwhile.",
  ],
])("%j is said as %j", (change, sentence) => {
  expect(sentenceOf({ ...job, ...change })).toBe(sentence);
});

it("is told once that a job has ended, and of none that nobody saw going on", () => {
  const seen = new Set<string>();
  const ended: Job = { ...job, state: "DONE" };
  expect(endedAmong([ended, { ...job, id: "2" }], seen)).toEqual([]);
  expect(endedAmong([job], seen)).toEqual([]);
  expect(endedAmong([ended], seen)).toEqual([ended]);
  expect(endedAmong([ended], seen)).toEqual([]);
});
