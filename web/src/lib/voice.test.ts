import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

/** What docs/words.md forbids in the product's texts. */
const unwanted = /![ "'`]|\bplease\b|\bsorry\b|\boops\b|\bsuccessfully\b/gi;

/** The contract prescribes these word for word. */
const given = [
  "Please check the URL.",
  "Please check your input and try again.",
  "Please enter a project name.",
  "Please log in again.",
  "Please select a repository.",
  " created successfully",
  " saved successfully",
  "Resource synced successfully",
];

const files = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((path) =>
  /\.messages\.ts$|catalog\/\w+\.json$/.test(path),
);

test("there are words to look at", () => {
  expect(files.length).toBeGreaterThan(3);
  expect(files.filter((path) => path.endsWith(".json")).length).toBe(3);
});

test.each(files)("%s has the one voice", (file) => {
  const text = given.reduce((rest, each) => rest.replaceAll(each, ""), readFileSync(`src/${file}`, "utf8"));
  expect(text.match(unwanted) ?? []).toEqual([]);
});
