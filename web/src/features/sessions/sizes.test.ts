import { expect, test } from "vitest";
import type { EngineProfiles } from "@/api/types";
import { sizeReason, sizeText } from "./sizes";

test("a size says what a session of it has, and whether it has to wait", () => {
  const limits = { memoryBytes: 16 * 2 ** 30, cpus: 4, diskBytes: 20 * 2 ** 30 };
  expect(sizeText({ limits, gpus: 1 })).toBe("16 GiB of memory, 4 processors, 20 GiB of disk, 1 GPU.");
  expect(sizeText({ limits: { memoryBytes: 512 * 2 ** 20, cpus: 1 }, free: 3, waiting: 0 })).toBe(
    "512 MiB of memory, 1 processor.",
  );
  expect(sizeText({ limits: { cpus: 0.5 }, free: 0, waiting: 2 })).toBe(
    "0.5 processors. 2 sessions are waiting for it.",
  );
  expect(sizeText({ limits: {}, gpus: 2, free: 0, waiting: 0 })).toBe(
    "2 GPUs. No slot is free right now, so it has to wait.",
  );
  expect(sizeText({ limits: {} })).toBe("");
});

test("a choice of sizes says why one is chosen, and what another one lacks", () => {
  const size = (name: string, lacks?: ["memory"]) => ({
    name,
    label: name,
    limits: {},
    waiting: 0,
    ...(lacks && { lacks }),
  });
  const [small, medium, large] = [size("small", ["memory"]), size("medium"), size("large")];
  const needs = { memoryBytes: 8 * 2 ** 30, gpus: 1 };
  const profiles = [small, medium, large];
  const offered: EngineProfiles = { engine: "hub", profiles, fits: true, chosen: "medium", needs };
  const asks = "Its authors ask for 8 GiB of memory and 1 GPU";
  expect(sizeReason(offered, medium)).toBe(`${asks}. medium is the smallest size that has that.`);
  expect(sizeReason(offered, large)).toBe(`${asks}.`);
  expect(sizeReason(offered, small)).toBe(`${asks}. small has less, so it may be slow or fail.`);
  const unfit: EngineProfiles = { engine: "hub", profiles: [small], fits: false, needs };
  expect(sizeReason(unfit, undefined)).toBe(`${asks}, and no size here has that. Choose one to try it anyway.`);
  expect(sizeReason(unfit, small)).toBe(`${asks}. small has less, so it may be slow or fail.`);
  expect(sizeReason({ ...unfit, profiles: [] }, undefined)).toBe(`${asks}, and sessions here have less.`);
  expect(sizeReason({ engine: "hub", profiles: [small], fits: true, chosen: "small" }, small)).toBeUndefined();
  expect(sizeReason(undefined, undefined)).toBeUndefined();
});
