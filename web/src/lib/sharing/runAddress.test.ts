import { expect, test } from "vitest";
import { readRun, runPath } from "./runAddress";

const id = "0b5c3b8e-5a0e-4b44-9a51-6d3c1f8a2f10";

/** Names that people have given to files and branches, and that addresses have lost. */
const awkward = [
  "plain.ipynb",
  "a b.ipynb",
  "figures #3.ipynb",
  "why?.ipynb",
  "100%.ipynb",
  "%41.ipynb",
  "R&D.ipynb",
  "c++.ipynb",
  "a=b.ipynb",
  "a;b,c.ipynb",
  "it's (final)!*.ipynb",
  'say "hi" <b>.ipynb',
  "back\\slash.ipynb",
  "[x](y).ipynb",
  "`code`.ipynb",
  "under_",
  "أرقام.ipynb",
  "עברית/מחברת.ipynb",
  "分析/図1.ipynb",
  "e\u0301té.ipynb",
  "😀.ipynb",
  "deep/er/and deeper/x.ipynb",
  "feature/new-plots",
  "release/2.0#rc=1",
  "refs/heads/main",
];

test.each(awkward)("%j comes through an address unchanged", (text) => {
  const address = runPath(id, { file: text, ref: text, name: text });
  const url = new URL(address, "https://example.org");
  expect(url.pathname).toBe(`/run/${id}`);
  expect(url.hash).toBe("");
  expect(readRun(url.search)).toEqual({ options: { file: text, ref: text, name: text }, unknown: [] });
  // Nothing in it ends a link in Markdown, HTML or a text, and nothing is left for a chat to take away.
  expect(address).toMatch(/^[\w/?&=%.~-]+$/);
});

test("what is not named is not in the address", () => {
  expect(runPath(id)).toBe(`/run/${id}`);
  expect(runPath(id, { file: "", ref: "" })).toBe(`/run/${id}`);
  expect(runPath(id, { ref: "main" })).toBe(`/run/${id}?ref=main`);
});

test("blanks from forms are read as blanks, and the first of two values counts", () => {
  expect(readRun("?file=a+b.ipynb&file=c&ref=%20&name=")).toEqual({ options: { file: "a b.ipynb" }, unknown: [] });
});

test("what it opens in is one of two words", () => {
  expect(runPath(id, { interface: "vscode" })).toBe(`/run/${id}?interface=vscode`);
  expect(readRun("?interface=vscode&ref=main")).toEqual({ options: { interface: "vscode", ref: "main" }, unknown: [] });
  expect(readRun("?interface=emacs")).toEqual({ options: {}, unknown: ["interface"] });
  expect(runPath(id, { version: 2 })).toBe(`/run/${id}?version=2`);
  expect(readRun("?version=2")).toEqual({ options: { version: 2 }, unknown: [] });
  expect(readRun("?version=last")).toEqual({ options: {}, unknown: ["version"] });
});

test("other parameters are named once each", () => {
  expect(readRun("?TOKEN=x&file=a&TOKEN=y&class=small").unknown).toEqual(["TOKEN", "class"]);
});

test("half a character does not break the page", () => {
  expect(readRun(new URL(runPath(id, { file: "a\ud800b" }), "https://example.org").search).options.file).toBe(
    "a\ufffdb",
  );
});
