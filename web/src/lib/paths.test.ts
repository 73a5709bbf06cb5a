import { expect, test } from "vitest";
import { matchPath, placeOf, type To } from "./paths";

const here = { pathname: "/resources/model/1", search: "?a=1", hash: "#part" };

test.each<[string, To, string]>([
  ["an address", "/events?x=1#second", "/events?x=1#second"],
  ["a part of the page", "#about", "/resources/model/1?a=1#about"],
  ["another search", "?b=2", "/resources/model/1?b=2"],
  ["another search by its parts", { search: "b=2" }, "/resources/model/1?b=2"],
  ["another search with its mark", { search: "?b=2", hash: "#c" }, "/resources/model/1?b=2#c"],
  ["no search", { search: "" }, "/resources/model/1"],
  ["another path by its parts", { pathname: "/add", hash: "c" }, "/add#c"],
  ["spaces", "/resources?searchText=a b", "/resources?searchText=a%20b"],
])("%s leads there", (_, to, address) => {
  const { pathname, search, hash } = placeOf(to, here);
  expect(pathname + search + hash).toBe(address);
});

test.each([
  "//evil.example/",
  "/\\evil.example",
  "https://evil.example/",
  "data:text/html,x",
  "javascript:alert(1)",
  "\t//evil.example",
  "/.//evil.example",
  "/..//evil.example",
  "/%2e//evil.example",
  "/add/..//evil.example",
])("%j leads out of the site and is refused", (to) => {
  expect(() => placeOf(to, here)).toThrow("out of this site");
  expect(() => placeOf({ pathname: to }, here)).toThrow("out of this site");
});

test.each<[string, string, Record<string, string> | undefined]>([
  ["/", "/", {}],
  ["/", "/events", undefined],
  ["/events", "/%65vents", {}],
  ["/events", "/%E0%A4%A", undefined],
  ["/events", "/Events", undefined],
  ["/events", "/events/1", undefined],
  ["/resources/:type/:id", "/resources/model/a%2Fb%20c", { type: "model", id: "a/b c" }],
  ["/resources/:type/:id", "/resources/model", undefined],
  ["/resources/:type/:id", "/resources/model/%E0%A4%A", { type: "model", id: "%E0%A4%A" }],
  ["/resources/:type/:id/edit", "/resources/model/1", undefined],
  ["/add/*", "/add/x/y", {}],
  ["/add/*", "/add", {}],
  ["/add/*", "/addition", undefined],
  ["/*", "/anything/at/all", {}],
])("%s and %s", (pattern, path, values) => {
  expect(matchPath(pattern, path)).toEqual(values);
});
