import { expect, test } from "vitest";
import { ScopedNames } from "./scopedNames.ts";

test("a class has the same short name in every build, wherever the folder is", () => {
  const name = new ScopedNames("/one").name("page", "/one/src/ui/Page.module.css");
  expect(name).toMatch(/^[A-Za-z][\w-]{3}$/);
  expect(new ScopedNames("/two").name("page", "/two/src/ui/Page.module.css?used")).toBe(name);
});

test("classes differ by their name and their file", () => {
  const { name } = new ScopedNames("/");
  const names = [name("page", "/a.css"), name("page", "/b.css"), name("other", "/a.css")];
  expect(new Set(names).size).toBe(3);
});

test("the server finds a class by its style sheet and its name", () => {
  const names = new ScopedNames("/");
  const [page, wide] = [names.name("page", "/src/ui/Page.module.css"), names.name("wide", "/src/ui/Page.module.css")];
  expect(names.table()).toEqual({ "Page.page": page, "Page.wide": wide });
});

test("two classes with the same name end the build", () => {
  const { name } = new ScopedNames("/");
  expect(() => {
    for (let each = 0; each < 100_000; each++) name(`class${each}`, "/a.css");
  }).toThrow("rename one of them");
});

test("two style sheets with the same name end the build", () => {
  const { name } = new ScopedNames("/");
  name("page", "/src/ui/Page.module.css");
  expect(() => name("page", "/src/app/Page.module.css")).toThrow("rename one of them");
});
