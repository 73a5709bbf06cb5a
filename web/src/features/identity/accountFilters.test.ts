import { expect, test } from "vitest";
import { readAccountFilters, writeAccountFilters } from "./accountFilters";

test.each(["", "waiting=true", "search=a%40b.org&page=3", "waiting=true&search=x&page=2"])(
  "%j is read and written the same",
  (query) => {
    expect(writeAccountFilters(readAccountFilters(new URLSearchParams(query)))).toBe(query);
  },
);

test.each(["page=0", "page=-1", "page=1.5", "page=x", "page=99999999", "waiting=yes", "search=++"])(
  "%j makes no sense",
  (query) => {
    expect(writeAccountFilters(readAccountFilters(new URLSearchParams(query)))).toBe("");
  },
);
