import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { descriptorLine } from "./descriptorLine";

const checks = readFileSync("../internal/fair/checks.go", "utf8");
const fields = [...checks.matchAll(/edit\("[^"]*", "[^"]*", "(\w+)"\)/g)].map(([, field = ""]) => field);
const known = readFileSync("../internal/codehost/descriptor.go", "utf8");

test.each([...new Set(fields)])("%s has a line of the descriptor, whose key it knows", (field) => {
  const [key = ""] = (descriptorLine(field) ?? "").split(":");
  expect(known).toContain(`"${key}": {&d.`);
});

test("what descriptors don't have has none", () => {
  expect(descriptorLine("datasetUrl")).toBeUndefined();
});
