import { expect, test } from "vitest";
import {
  crumbsOf,
  fileAddress,
  folderAddress,
  isMarkdown,
  isShown,
  linkIn,
  pictureIn,
  previewLimit,
  readmeAmong,
  shownName,
} from "./repositoryFiles";
import cases from "./rules.cases.json";

const file = (name: string, size = 10) => ({ type: "file" as const, name, path: name, size });
const blob = "https://github.com/owner/name/blob/main/";

test("the way to a folder has each folder once", () => {
  expect(crumbsOf("")).toEqual([]);
  expect(crumbsOf("a/b c")).toEqual([
    { name: "a", path: "a" },
    { name: "b c", path: "a/b c" },
  ]);
});

test.each([
  ["plain é 名.txt", "plain é 名.txt"],
  ["<img src=x onerror=alert(1)>", "<img src=x onerror=alert(1)>"],
  ["\u202Etxt.exe", "\uFFFDtxt.exe"],
  ["a\nb\u2028c\u200Fd\u2066e", "a\uFFFDb\uFFFDc\uFFFDd\uFFFDe"],
  ["👩\u200D💻.py", "👩\u200D💻.py"],
])("%j is shown as %j", (name, shown) => {
  expect(shownName(name)).toBe(shown);
});

test("addresses of files and folders escape each part", () => {
  expect(fileAddress(blob, "a b/c#d?.txt")).toBe(`${blob}a%20b/c%23d%3F.txt`);
  expect(fileAddress(blob, "..%2f")).toBe(`${blob}..%252f`);
  expect(folderAddress(blob, "a b")).toBe("https://github.com/owner/name/tree/main/a%20b");
  expect(folderAddress(blob, "")).toBe("https://github.com/owner/name/tree/main");
  expect(folderAddress("https://gitlab.com/a/blob/c/-/blob/main/", "x")).toBe(
    "https://gitlab.com/a/blob/c/-/tree/main/x",
  );
  expect(folderAddress("https://codeberg.org/a/b/src/branch/main/", "x")).toBe(
    "https://codeberg.org/a/b/src/branch/main/x",
  );
  expect(folderAddress("https://github.com/blob/blob/blob/release/2/", "x")).toBe(
    "https://github.com/blob/blob/tree/release/2/x",
  );
});

test.each([
  ["https://example.org/x", "https://example.org/x"],
  ["mailto:a@example.org", "mailto:a@example.org"],
  ["javascript:alert(1)", "javascript:alert(1)"],
  ["guide.md#top", `${blob}docs/guide.md#top`],
  ["../LICENSE", `${blob}LICENSE`],
  ["/CITATION.cff", `${blob}CITATION.cff`],
  ["#usage", `${blob}docs/README.md#usage`],
  ["//example.org/x", "//example.org/x"],
])("%s in a text leads to %s", (href, address) => {
  expect(linkIn(blob, "docs/README.md", href)).toBe(address);
});

test("a relative link of a text without pages leads nowhere", () => {
  expect(linkIn("", "README.md", "guide.md")).toBeUndefined();
  expect(linkIn("", "README.md", "https://example.org/")).toBe("https://example.org/");
  expect(linkIn("https://github.com/o/n/blob/release/2/", "a/README.md", "/x.md")).toBe(
    "https://github.com/o/n/blob/release/2/x.md",
  );
});

test("texts and notebooks are known by their names", () => {
  for (const name of ["a.py", "README", "LICENSE", "data.CSV", ".gitignore", "Makefile", "cairn.yml", "x.ipynb"]) {
    expect(isShown(file(name)), name).toBe(true);
  }
  for (const name of ["a.png", "a.py.gz", "data", "ipynb", "movie.mp4"]) expect(isShown(file(name)), name).toBe(false);
  expect(isShown(file("a.py", previewLimit + 1))).toBe(false);
  expect(isShown({ ...file("a.py"), type: "dir" as "file" })).toBe(false);
  expect(isShown({ ...file("lib.py", 0), type: "submodule" as "file" })).toBe(false);
  expect(isShown({ ...file("lib.ipynb", 0), type: "submodule" as "file" })).toBe(false);
  expect(isMarkdown("a.MD")).toBe(true);
  expect(isMarkdown("a.rst")).toBe(false);
});

test("Markdown introduces a folder before other texts", () => {
  expect(readmeAmong([file("README.rst"), file("readme.txt"), file("Readme.md")])?.name).toBe("Readme.md");
  expect(readmeAmong([file("a.md"), file("README.rst")])?.name).toBe("README.rst");
  expect(readmeAmong([file("README.md", -1)])?.name).toBe("README.md");
  expect(readmeAmong([file("README.md", 0), file("README.md", previewLimit + 1)])).toBeUndefined();
});

test.each([
  ["fig/a%20b.png", { file: "docs/fig/a b.png" }],
  ["/fig/a.png?raw=true#x", { file: "fig/a.png" }],
  ["../../a.png", { file: "a.png" }],
  ["https://example.org/a.png", { file: "docs/README.md", address: "https://example.org/a.png" }],
  ["//example.org/a.png", undefined],
  ["data:image/png;base64,AA", undefined],
  ["javascript:alert(1)", undefined],
])("the picture %j in a README", (src, picture) => {
  expect(pictureIn("docs/README.md", src)).toEqual(picture);
});

test.each(cases.shownName)("the server shows %j the same", (name = "", shown) => {
  expect(shownName(name)).toBe(shown);
});
