import { expect, test } from "vitest";
import { needsText } from "./resources";

test("what an entry asks for reads as people say it", () => {
  expect(needsText({ memoryBytes: 8 * 2 ** 30, cpus: 2, gpus: 1 })).toBe("8 GiB of memory, 2 processors and 1 GPU");
  expect(needsText({ memoryBytes: 1.5 * 2 ** 30, gpus: 2 })).toBe("1.5 GiB of memory and 2 GPUs");
  expect(needsText({ cpus: 0.5 })).toBe("0.5 processors");
  expect(needsText({ cpus: 1, gpus: 0 })).toBe("1 processor");
  expect(needsText({})).toBe("");
  expect(needsText()).toBe("");
});
