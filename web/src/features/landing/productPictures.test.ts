import { readdirSync, statSync } from "node:fs";
import { expect, test } from "vitest";

const folder = new URL("pictures/", import.meta.url);

test.each(readdirSync(folder))("%s has at most 40 kB", (file) => {
  expect(statSync(new URL(file, folder)).size).toBeLessThanOrEqual(40_000);
});
