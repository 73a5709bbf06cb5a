import { expect, it } from "vitest";
import { readSource, type Source, sourceOf, wishOf, writeSource } from "./source";

const sources: [address: string, source: Source, wish: object][] = [
  ["?resource=1", { of: "entry", id: "1", file: "", ref: "" }, { resourceId: "1" }],
  [
    "?resource=1&file=a%2Fb.ipynb&ref=v2",
    { of: "entry", id: "1", file: "a/b.ipynb", ref: "v2" },
    { resourceId: "1", file: "a/b.ipynb", ref: "v2" },
  ],
  [
    "?project=1&file=b.ipynb",
    { of: "project", id: "1", file: "b.ipynb", ref: "" },
    { projectId: "1", file: "b.ipynb" },
  ],
  [
    "?session=s&path=r%2Fb.ipynb",
    { of: "session", id: "s", file: "r/b.ipynb", ref: "" },
    { fromSession: { session: "s", path: "r/b.ipynb" } },
  ],
];

it.each(sources)("%s names what is executed, and is asked for so", (address, source, wish) => {
  expect(readSource(new URLSearchParams(address))).toEqual(source);
  expect(writeSource(source)).toBe(address);
  expect(wishOf(source)).toEqual(wish);
});

it.each(["", "?file=a.ipynb", "?session=s", "?resource="])("%j names nothing", (address) => {
  expect(readSource(new URLSearchParams(address))).toBeUndefined();
});

it("a job is run again from where it came", () => {
  expect(sourceOf({ resource: "1", file: "a.ipynb", ref: "v2" })).toEqual({
    ...{ of: "entry", id: "1", file: "a.ipynb", ref: "v2" },
  });
  expect(sourceOf({ project: "2", file: "" })).toEqual({ of: "project", id: "2", file: "", ref: "" });
  expect(sourceOf({ fromSession: { session: "s", path: "a.ipynb" }, file: "a.ipynb" })).toEqual({
    ...{ of: "session", id: "s", file: "a.ipynb", ref: "" },
  });
  expect(sourceOf({ file: "a.ipynb" })).toBeUndefined();
});
