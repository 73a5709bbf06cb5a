import { expect, test } from "vitest";
import { readOperatorFilters, writeOperatorFilters } from "./operatorFilters";

const read = (address: string) => readOperatorFilters(new URLSearchParams(address));

test("an address keeps all filters, and leaves out what is usual", () => {
  for (const address of [
    "",
    "show=all",
    "show=ERROR&search=ann",
    "search=ann%40example.org&page=3",
    "sort=memory&page=2",
  ]) {
    expect(writeOperatorFilters(read(address))).toBe(address);
  }
});

test("what makes no sense counts as absent", () => {
  expect(read("show=everything&page=-1&sort=owner")).toEqual({ search: "", show: "live", sort: "newest", page: 1 });
  expect(read("page=1e9").page).toBe(1);
});

test("bookmarks of earlier versions still work", () => {
  expect(read("all=true").show).toBe("all");
});
