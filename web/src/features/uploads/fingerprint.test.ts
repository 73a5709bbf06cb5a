import { expect, test } from "vitest";
import { fingerprintOf } from "./fingerprint";

const chosen = (path: string, size = 5, lastModified = 7) => ({ path, file: { size, lastModified } });

test("the same files for the same purpose have one fingerprint", () => {
  expect(fingerprintOf("ada", "new", [chosen("a/data.csv")])).toBe(fingerprintOf("ada", "new", [chosen("a/data.csv")]));
  expect(fingerprintOf("ada", "new", [chosen("a/data.csv")])).toMatch(/^[0-9a-f]{64}$/);
});

test.each([
  ["another account", fingerprintOf("eve", "new", [chosen("a/data.csv")])],
  ["another entry", fingerprintOf("ada", "entry", [chosen("a/data.csv")])],
  ["another folder", fingerprintOf("ada", "new", [chosen("b/data.csv")])],
  ["another size", fingerprintOf("ada", "new", [chosen("a/data.csv", 6)])],
  ["another time", fingerprintOf("ada", "new", [chosen("a/data.csv", 5, 8)])],
  ["one more file", fingerprintOf("ada", "new", [chosen("a/data.csv"), chosen("b")])],
])("%s has another one", (_, other) => {
  expect(other).not.toBe(fingerprintOf("ada", "new", [chosen("a/data.csv")]));
});
