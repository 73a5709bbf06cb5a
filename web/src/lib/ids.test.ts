import { expect, test } from "vitest";
import { isId } from "./ids";

test.each([
  ["01900000-0000-7000-8000-000000000000", true],
  ["01900000-0000-7000-8000-00000000000", false],
  ["01900000-0000-7000-8000-000000000000/star", false],
  ["01900000-0000-7000-8000-00000000000A", false],
  ["search", false],
  ["", false],
])("%j can be an id: %s", (text, is) => {
  expect(isId(text)).toBe(is);
});
