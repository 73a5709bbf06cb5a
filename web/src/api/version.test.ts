import { expect, test } from "vitest";
import { addressOf } from "./client";
import { inVersion, ofVersion } from "./version";

test("calls that read an entry name its version, if the page does", () => {
  const path = "/public/{id}/file";
  expect(addressOf(path, ofVersion("x", "2", { path: "a b.csv" }))).toBe("/public/x/file?path=a+b.csv&version=2");
  expect(addressOf(path, ofVersion("x", undefined, { path: "a" }))).toBe("/public/x/file?path=a");
  expect(addressOf(path, ofVersion("x", "2"))).toBe("/public/x/file?version=2");
  expect(inVersion(undefined)).toEqual({});
});
