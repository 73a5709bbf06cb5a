import { expect, test } from "vitest";
import { groupInAddress, nameInAddress, nameParts } from "./nameInAddress";
import cases from "./rules.cases.json";

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

test.each([
  ["lab@example.org", "Lab"],
  ["data-support@example.org", "Data Support"],
  ["@example.org", "Unknown"],
])("the group of %j is called %j", (email, name) => {
  expect(groupInAddress(email)).toBe(name);
});

test.each([
  ["Ada Lovelace", { given: "Ada", family: "Lovelace" }],
  ["Lovelace, Ada King", { given: "Ada King", family: "Lovelace" }],
  ["Jean-Luc van der Berg", { given: "Jean-Luc", family: "van der Berg" }],
  ["van Beethoven", { given: "van", family: "Beethoven" }],
  ["Plato", { literal: "Plato" }],
])("the parts of the name %j are %j", (name, parts) => {
  expect(nameParts(name)).toEqual(parts);
});

test.each(cases.nameParts)("the server divides %s the same", (name = "", given, family) => {
  expect(nameParts(name)).toEqual(family ? { given, family } : { literal: name });
});

test.each(cases.particles)("%s belongs to the family name", (particle) => {
  expect(nameParts(`Ada ${particle} Berg`)).toEqual({ given: "Ada", family: `${particle} Berg` });
});
