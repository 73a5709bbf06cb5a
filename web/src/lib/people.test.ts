import { expect, test } from "vitest";
import { initials } from "./people";
import cases from "./rules.cases.json";

test.each(cases.initials)("initials of %j", (name = "", letters) => {
  expect(initials(name)).toBe(letters);
});
