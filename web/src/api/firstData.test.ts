import { expect, test } from "vitest";
import { sameCall } from "./firstData";

const path = "/api/v1/rf/resources/public";

test.each([
  ["facets=types%2Ctags&pageNumber=0&pageSize=100", { pageNumber: 0, pageSize: 100, facets: "types,tags" }, true],
  ["nameSearch=%2A~+%C3%BC%26", { nameSearch: "*~ ü&" }, true],
  ["tag=b&tag=a%5C%2Cc", { tag: ["b", "a\\,c"] }, true],
  ["tag=a&tag=b", { tag: ["b", "a"] }, false],
  ["pageNumber=0", { pageNumber: 0, sort: "stars" }, false],
  ["pageNumber=0&sort=stars", { pageNumber: 0 }, false],
  ["pageNumber=0", { pageNumber: 1 }, false],
])("%s answers %j: %s", (request, query, same) => {
  expect(sameCall(`${path}?${request}`, path, query)).toBe(same);
});

test("another path is another call", () => {
  expect(sameCall("/api/v1/rf/resources?pageNumber=0", path, { pageNumber: 0 })).toBe(false);
});
