import { expect, test } from "vitest";
import { isPage, lastSegment, loginPath, webAddress } from "./links";

test.each([
  ["/", true],
  ["/resources?resourceTypes=MODEL", true],
  ["/events/", true],
  ["/events#1.5", true],
  ["/resources/model/1?from=a//b.c", true],
  ["/sitelines", true],
  ["/api/docs", false],
  ["/help", false],
  ["/help#run", false],
  ["/help/descriptor", false],
  ["/helpers", true],
  ["/site/hall.png", false],
  ["/events/hands-on.ics", false],
  ["/sitemap.xml", false],
  ["/licenses", false],
  ["/licenses.txt", false],
  ["/robots.txt?a=1", false],
  ["/.//evil.example", false],
  ["/%2e//evil", false],
  ["/\t/evil", false],
  ["/events\\..\\\\evil", false],
  ["//evil.example", false],
  ["/\\evil.example", false],
  ["https://example.org", false],
])("%j is a page: %s", (href, page) => {
  expect(isPage(href)).toBe(page);
});

test.each(["javascript:alert(1)", "data:text/html,x", "spikes", "", undefined, "https://"])(
  "%j is no link",
  (address) => {
    expect(webAddress(address)).toBeUndefined();
  },
);

test("a DOI is a link to where it leads", () => {
  expect(webAddress("doi:10.5281/zenodo.1")).toBe("https://doi.org/10.5281/zenodo.1");
});

test("an address of the web is a link", () => {
  expect(webAddress("https://example.org/a")).toBe("https://example.org/a");
});

test("the login comes back to the page, and not to itself", () => {
  expect(loginPath({ pathname: "/resources", search: "?tags=a,b", hash: "#c" })).toBe(
    "/login?redirect=%2Fresources%3Ftags%3Da%2Cb%23c",
  );
  expect(loginPath({ pathname: "/", search: "", hash: "" })).toBe("/login");
  expect(loginPath({ pathname: "/login", search: "?redirect=%2Fadd", hash: "" })).toBe("/login");
});

test.each([
  ["https://github.com/o/r/blob/main/notes/My%20first.ipynb", "My first.ipynb"],
  ["https://example.org/a/b/?x=1", "b"],
  ["https://example.org", "example.org"],
  ["https://example.org/100%", "100%"],
])("the file of %s is %s", (address, name) => {
  expect(lastSegment(address)).toBe(name);
});
