import { expect, test } from "vitest";
import type { LicensedComponent } from "@/api/types";
import { anchorOf, groupByLicense } from "./groups";

const component = (name: string, license: string): LicensedComponent => ({
  name,
  license,
  version: "1.0",
  kind: "npm",
  files: [],
});
const all = [component("a", "ISC"), component("B", "MIT"), component("c", "BSD-3-Clause"), component("d", "MIT")];
const shape = (text: string) =>
  groupByLicense(all, text).map(({ license, components }) => `${license}: ${components.map(({ name }) => name)}`);

test("the licence of the most components comes first, equal ones by name", () => {
  expect(shape("")).toEqual(["MIT: B,d", "BSD-3-Clause: c", "ISC: a"]);
});

test("a text finds names and licences, in any case", () => {
  expect(shape(" b ")).toEqual(["BSD-3-Clause: c", "MIT: B"]);
  expect(shape("mit")).toEqual(["MIT: B,d"]);
  expect(shape("nosuch")).toEqual([]);
});

test("anchors have no spaces", () => {
  expect(anchorOf(component("Go standard library", "MIT"))).toBe("Go-standard-library@1.0");
});
