import { expect, test } from "vitest";
import type { Descriptor, Resource } from "@/api/types";
import { changesOf, differentLines } from "./difference";

const person = (email: string) => ({ name: "", orcid: "", email });

const entry = {
  name: "Spikes",
  description: "Sorts.",
  authors: ["ada@example.org", "bob@example.org"],
  tags: [
    { id: "1", value: "ephys" },
    { id: "2", value: "v1" },
  ],
  privacy: "PRIVATE",
} as Resource;

const same = {
  name: "Spikes",
  description: "Sorts.",
  authors: ["ada@example.org", "bob@example.org"],
  people: [person("ada@example.org"), person("bob@example.org")],
  license: "",
  version: "",
  doi: "",
  tags: ["ephys", "v1"],
  privacy: "PRIVATE",
} as Descriptor;

test("nothing changes", () => {
  expect(changesOf(entry, same)).toEqual([]);
  expect(changesOf(entry, { ...same, tags: ["v1", "ephys"] })).toEqual([]);
});

test("each field that changes, in order", () => {
  const descriptor = {
    ...same,
    name: "Spike sorting",
    description: "",
    people: [person("bob@example.org"), { name: "Carl", email: "carl@example.org", orcid: "0000-0002-1825-0097" }],
    license: "MIT",
    version: "2.0",
    doi: "10.1234/spikes",
    needs: { memoryBytes: 8 * 2 ** 30 },
    tags: ["v2", "ephys"],
    privacy: "PUBLIC" as const,
  };
  expect(changesOf(entry, descriptor)).toEqual([
    { field: "name", before: "Spikes", after: "Spike sorting" },
    { field: "description", before: "Sorts.", after: "" },
    {
      field: "authors",
      added: ["Carl (carl@example.org, 0000-0002-1825-0097)"],
      removed: ["ada@example.org"],
      reordered: false,
    },
    { field: "tags", added: ["v2"], removed: ["v1"], reordered: false },
    { field: "license", before: "", after: "MIT" },
    { field: "version", before: "", after: "2.0" },
    { field: "doi", before: "", after: "10.1234/spikes" },
    { field: "needs", before: "", after: "8 GiB of memory" },
    { field: "privacy", before: "PRIVATE", after: "PUBLIC" },
  ]);
});

test("whoever left the entry isn't named again", () => {
  const left = { ...entry, authors: ["ada@example.org"], formerAuthors: ["bob@example.org"] };
  expect(changesOf(left, same)).toEqual([]);
});

test("authors in another order", () => {
  const [change] = changesOf(entry, { ...same, people: same.people.toReversed() });
  expect(change).toEqual({ field: "authors", added: [], removed: [], reordered: true });
});

test("long texts show the lines that differ", () => {
  expect(differentLines("a", "b")).toEqual(["a", "b"]);
  expect(differentLines("a\nb\nc\nd\ne", "a\nb\nX\nd\ne")).toEqual(["c", "X"]);
  expect(differentLines("a\nb", "a\nb\nc")).toEqual(["", "c"]);
  expect(differentLines("a\na\na", "a\na")).toEqual(["a", ""]);
  expect(differentLines("", "a\nb")).toEqual(["", "a\nb"]);
});

test("who sees a private entry may change", () => {
  const atHost = "PRIVATE, for those who can read the repository";
  expect(changesOf(entry, { ...same, audience: "host" })).toEqual([
    { field: "privacy", before: "PRIVATE", after: atHost },
  ]);
  expect(changesOf({ ...entry, audience: "host" }, { ...same, privacy: "PUBLIC" })).toEqual([
    { field: "privacy", before: atHost, after: "PUBLIC" },
  ]);
});
