import { expect, test } from "vitest";
import type { Resource } from "@/api/types";
import { bodyOf, draftOf, merge, newDraft, textOf } from "./entryDraft";

const base = { ...newDraft("ada@example.org"), name: "Spikes", tags: ["old"], datasetUrl: "https://example.org/d" };

test("only the fields of its own type are sent", () => {
  expect(bodyOf("DATASET", base)).toEqual({
    ...{ name: "Spikes", description: "", headerImage: "", tags: ["old"], authors: ["ada@example.org"] },
    ...{ privacy: "PUBLIC", datasetUrl: "https://example.org/d" },
    ...{ version: "", doi: "", license: "", language: "", people: [], funding: [], relatedIdentifiers: [] },
  });
  expect(Object.keys(bodyOf("MODEL", base))).not.toContain("datasetUrl");
  expect(bodyOf("MODEL", base)).toMatchObject({ applicationInterfaceId: "", version: "" });
});

test("a draft is made of an entry, with tags by their values", () => {
  const entry = { ...base, id: "1", type: "DATASET", tags: [{ id: "t", value: "md, namd" }] } as unknown as Resource;
  expect(draftOf(entry)).toEqual({ ...base, tags: ["md, namd"] });
});

test("a draft has what was entered as a notebook's address, not that of its frame", () => {
  const frame = "http://n-1.localhost:8081/n/1/?expires=1&signature=2";
  const entry = { ...base, notebookPath: frame, notebookSource: "bundled:walk.ipynb" } as unknown as Resource;
  expect(draftOf(entry).notebookPath).toBe("bundled:walk.ipynb");
});

test("what others changed meanwhile is taken over where one has not changed it", () => {
  const mine = { ...base, name: "Bursts" };
  const theirs = { ...base, description: "Better", tags: ["old", "new"] };
  expect(merge(base, mine, theirs)).toEqual({
    draft: { ...base, name: "Bursts", description: "Better", tags: ["old", "new"] },
    disputed: [],
  });
});

test("where both changed the same, one's own stands and is named", () => {
  const mine = { ...base, name: "Bursts", tags: ["a"], description: "alike" };
  const theirs = { ...base, name: "Peaks", tags: ["b", "c"], description: "alike" };
  expect(merge(base, mine, theirs)).toEqual({ draft: mine, disputed: ["name", "tags"] });
  expect(textOf(theirs, "tags")).toBe("b · c");
});

test("who is no longer an author keeps the credit without the address, if it has a name", () => {
  const people = [
    { name: "Ada Lovelace", orcid: "", email: "ada@example.org" },
    { name: "Bob Burns", orcid: "", email: "bob@example.org" },
    { name: "", orcid: "", email: "eve@example.org" },
  ];
  expect(bodyOf("DATASET", { ...base, people }).people).toEqual([people[0], { name: "Bob Burns", orcid: "" }]);
  expect(textOf({ ...base, people }, "people")).toBe("Ada Lovelace · Bob Burns · eve@example.org");
});
