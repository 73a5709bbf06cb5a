import { describe, expect, it } from "vitest";
import { folderOf, isPicture, nameOf, readPlace, waysTo, writePlace } from "./place";

describe("the address of the versions of a session", () => {
  it("is read as it was written", () => {
    const place = { version: "0190", folder: "first steps/plots & tables", file: "a+b #1.ipynb", page: 3 };
    expect(readPlace(new URLSearchParams(writePlace(place)))).toEqual(place);
  });

  it("is empty for the newest version's work folder", () => {
    expect(writePlace({ version: "", folder: "", file: "", page: 1 })).toBe("");
  });

  it.each(["0", "-1", "1.5", "many", ""])("counts the page %o as the first", (page) => {
    expect(readPlace(new URLSearchParams({ page })).page).toBe(1);
  });
});

describe("paths in a version", () => {
  it("have folders above them", () => {
    expect(waysTo("a/b/c")).toEqual([
      { name: "a", path: "a" },
      { name: "b", path: "a/b" },
      { name: "c", path: "a/b/c" },
    ]);
    expect(waysTo("")).toEqual([]);
  });

  it("are taken apart", () => {
    expect(folderOf("a/b/c.txt")).toBe("a/b");
    expect(folderOf("c.txt")).toBe("");
    expect(nameOf("a/b/c.txt")).toBe("c.txt");
  });

  it("tell pictures by their end", () => {
    expect(isPicture("plots/spike.PNG")).toBe(true);
    expect(isPicture("png/table.csv")).toBe(false);
  });
});
