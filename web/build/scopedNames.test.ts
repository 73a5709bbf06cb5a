import { expect, test } from "vitest";
import { scopedNames } from "./scopedNames.ts";

test("a class has the same short name in every build, wherever the folder is", () => {
  const name = scopedNames("/one")("page", "/one/src/ui/Page.module.css");
  expect(name).toMatch(/^[A-Za-z][\w-]{3}$/);
  expect(scopedNames("/two")("page", "/two/src/ui/Page.module.css?used")).toBe(name);
});

test("classes differ by their name and their file", () => {
  const named = scopedNames("/");
  const names = [named("page", "/a.css"), named("page", "/b.css"), named("other", "/a.css")];
  expect(new Set(names).size).toBe(3);
});

test("two classes with the same name end the build", () => {
  const named = scopedNames("/");
  expect(() => {
    for (let each = 0; each < 100_000; each++) named(`class${each}`, "/a.css");
  }).toThrow("rename one of them");
});
