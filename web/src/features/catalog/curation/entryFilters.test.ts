import { expect, test } from "vitest";
import { readEntryFilters, writeEntryFilters } from "./entryFilters";

test.each([
  ["", { search: "", state: undefined, page: 1 }, ""],
  ["state=hidden&search=a+b&page=3", { search: "a b", state: "hidden", page: 3 }, "state=hidden&search=a+b&page=3"],
  ["state=odd&page=-1", { search: "", state: undefined, page: 1 }, ""],
  ["page=1e99", { search: "", state: undefined, page: 1 }, ""],
])("the address %j and its filters", (address, filters, written) => {
  expect(readEntryFilters(new URLSearchParams(address))).toEqual(filters);
  expect(writeEntryFilters(readEntryFilters(new URLSearchParams(address)))).toBe(written);
});
