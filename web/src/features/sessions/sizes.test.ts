import { expect, test } from "vitest";
import { sizeText } from "./sizes";

test("a size says what a session of it has, and whether it has to wait", () => {
  const limits = { memoryBytes: 16e9, cpus: 4, diskBytes: 20e9 };
  expect(sizeText({ limits, gpus: 1 })).toBe("16 GB of memory, 4 processors, 20 GB of disk, 1 GPU.");
  expect(sizeText({ limits: { memoryBytes: 512e6, cpus: 1 }, free: 3, waiting: 0 })).toBe(
    "512 MB of memory, 1 processor.",
  );
  expect(sizeText({ limits: { cpus: 0.5 }, free: 0, waiting: 2 })).toBe(
    "0.5 processors. 2 sessions are waiting for it.",
  );
  expect(sizeText({ limits: {}, gpus: 2, free: 0, waiting: 0 })).toBe(
    "2 GPUs. No place is free right now, so it has to wait.",
  );
  expect(sizeText({ limits: {} })).toBe("");
});
