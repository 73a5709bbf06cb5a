import { expect, test } from "vitest";
import { usageParts, usageText } from "./usage";

const mebibyte = 1024 * 1024;

test("usage is shown with its limits, where there are any", () => {
  const usage = { memoryBytes: 512 * mebibyte, cpus: 0.94, diskBytes: 3 * mebibyte };
  expect(usageParts(usage, { memoryBytes: 2048 * mebibyte, cpus: 2 })).toEqual({
    memory: "512 MiB of 2 GiB",
    cpus: "0.9 of 2",
    disk: "3 MiB",
  });
  expect(usageParts({}, {})).toEqual({ memory: "0 bytes", cpus: "0", disk: "0 bytes" });
});

test("a session that computes is busy", () => {
  const limits = { memoryBytes: 2048 * mebibyte };
  expect(usageText({ memoryBytes: mebibyte, cpus: 0.5 }, limits)).toBe("Busy: 0.5 processors, 1 MiB of 2 GiB memory");
  expect(usageText({ memoryBytes: mebibyte, cpus: 0.4 }, limits)).toBe("1 MiB of 2 GiB memory");
  expect(usageText({ memoryBytes: mebibyte }, limits)).toBe("1 MiB of 2 GiB memory");
});
