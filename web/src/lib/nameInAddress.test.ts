import { expect, test } from "vitest";
import { nameInAddress } from "./nameInAddress";

test.each([
  ["jane.doe@example.org", "Jane", "Doe"],
  ["jane_doe2+papers@example.org", "Jane", "Doe"],
  ["jane-doe@example.org", "Jane", "Doe"],
  ["jean-luc.picard@example.org", "Jean-Luc", "Picard"],
  ["j.r.hartley@example.org", "J. R.", "Hartley"],
  ["ludwig.van.beethoven@example.org", "Ludwig", "van Beethoven"],
  ["maria.de.la.cruz@example.org", "Maria", "de la Cruz"],
  ["miles.o'brien@example.org", "Miles", "O'Brien"],
  ["björn.åkesson@example.org", "Björn", "Åkesson"],
  ["李.小龙@example.org", "李.", "小龙"],
])("%s spells a name", (email, given, family) => {
  expect(nameInAddress(email)).toEqual({ given, family });
});

test.each([
  "researcher@example.org",
  "jdoe@example.org",
  "lab.team@example.org",
  "data-support@example.org",
  "jane.d@example.org",
  "a1b2.c3d4@example.org",
  "x.{y}@example.org",
  "one.two.three.four.five.six@example.org",
  "@example.org",
  "jane.doe",
  "",
])("%j spells no name", (email) => {
  expect(nameInAddress(email)).toBeUndefined();
});
