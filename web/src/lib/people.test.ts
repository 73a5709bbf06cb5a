import { expect, test } from "vitest";
import { initials } from "./people";

test.each([
  ["Ada Lovelace", "AL"],
  ["Ada King Noel Lovelace", "AL"],
  ["researcher@example.org", "R"],
  ["ada.lovelace@example.org", "AL"],
  ["𝒜da 李", "𝒜李"],
  ["", "?"],
  ["@example.org", "?"],
])("initials of %j", (name, letters) => {
  expect(initials(name)).toBe(letters);
});
