import { expect, test } from "vitest";
import { backPath, catalogPath, readFilters, toggled, writeFilters } from "./filters";
import { sortInForce } from "./sorts";

const read = (query: string) => readFilters(new URLSearchParams(query));

test("an address without filters means everything", () => {
  expect(read("")).toEqual({ filters: { types: [], tags: [], text: "", page: 1 }, unknownTypes: [] });
});

test("unknown types are told apart, and each type counts once", () => {
  const { filters, unknownTypes } = read("resourceTypes=MODEL,PAPER,MODEL,toString,,DATASET");
  expect(filters.types).toEqual(["MODEL", "DATASET"]);
  expect(unknownTypes).toEqual(["PAPER", "toString"]);
});

test.each(["-1", "0", "x", "1", "NaN"])("page %s is the first", (page) => {
  expect(read(`page=${page}`).filters.page).toBe(1);
});

test.each([
  [["neuro", "md"]],
  [["md, namd", "v1"]],
  [["a\\b", "c\\,d", "\\", ","]],
  [["über \u{1f9e0}", "a&b=c", "plasma physics"]],
])("filters survive the address: %j", (tags) => {
  const runs = ["clean" as const, "fails" as const];
  const filters = { types: ["MODEL" as const], tags, runs, text: "50% α, β", sort: "stars" as const, page: 3 };
  expect(read(writeFilters(filters))).toEqual({ filters, unknownTypes: [] });
});

test("outcomes of runs that don't exist are left out, and each counts once", () => {
  expect(read("runs=fails,maybe,clean,fails,toString").filters.runs).toEqual(["clean", "fails"]);
  expect(read("runs=maybe").filters.runs).toBeUndefined();
});

test.each(["colour", "toString", "", "Name"])("an order %j that does not exist is none", (sort) => {
  expect(read(`sort=${sort}`).filters.sort).toBeUndefined();
});

test.each([
  [undefined, "", "used"],
  ["relevance", " ", "used"],
  ["stars", "", "stars"],
  [undefined, "spike", "relevance"],
  ["name", "spike", "name"],
] as const)("the order of %s with the text %j is %s", (sort, text, order) => {
  expect(sortInForce({ sort, text })).toBe(order);
});

test("the whole catalog has all four types, readable", () => {
  expect(catalogPath()).toBe("/resources?resourceTypes=REPOSITORY,NOTEBOOK,DATASET,MODEL");
});

test("Back uses only filters", () => {
  expect(backPath(null)).toBe(catalogPath());
  expect(backPath("evil=//evil.example&next=x")).toBe(catalogPath());
  expect(backPath("searchText=spike&x=1&tags=md")).toBe("/resources?tags=md&searchText=spike");
});

test("toggling adds and removes", () => {
  expect(toggled(["a"], "b")).toEqual(["a", "b"]);
  expect(toggled(["a", "b"], "a")).toEqual(["b"]);
});
