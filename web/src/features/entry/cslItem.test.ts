import { expect, test } from "vitest";
import type { Resource } from "@/api/types";
import { cite } from "@/lib/citation";
import { cslItem } from "./cslItem";

const id = "01900000-0000-7000-8000-000000000000";
const entry: Resource = {
  ...{
    id,
    name: "Spikes",
    type: "DATASET",
    description: "",
    headerImage: "",
    tags: [],
    authors: ["jane.doe@example.org", "lab@example.org"],
  },
  ...{ privacy: "PUBLIC", status: "NONE", state: "ACTIVE", starCount: 0, license: "" },
  ...{ createdAt: "2026-12-31T23:30:00Z", updatedAt: "2027-05-01T00:00:00Z" },
};

test("an entry as a work: its authors, the day when it was added, its own address", () => {
  const address = `https://hill.example/resources/datasets/${id}`;
  expect(cslItem(entry, "Hill", "https://hill.example")).toEqual({
    id: address,
    type: "dataset",
    title: "Spikes",
    author: [{ given: "Jane", family: "Doe" }, { literal: "lab@example.org" }],
    issued: { "date-parts": [[2026, 12, 31]] },
    publisher: "Hill",
    URL: address,
  });
});

test("people credited by name are cited instead of addresses, with the DOI", () => {
  const people = [
    { name: "Ada Lovelace", orcid: "" },
    { name: "", orcid: "", email: "lab@example.org" },
  ];
  const item = cslItem({ ...entry, people, doi: "10.1234/spikes" }, "Hill", "https://hill.example");
  expect(item.author).toEqual([{ literal: "Ada Lovelace" }]);
  expect(item.DOI).toBe("10.1234/spikes");
});

test("a public entry has its permanent address, the day when it was public, and its license; curators aren't its authors", () => {
  const people = [
    { name: "Ada Lovelace", orcid: "" },
    { name: "Bob Burns", orcid: "", role: "DataCurator" },
  ];
  const item = cslItem(
    { ...entry, people, license: "CC-BY-4.0", issuedAt: "2027-02-03T12:00:00Z" },
    "Hill",
    "https://hill.example",
  );
  expect(item).toMatchObject({ URL: `https://hill.example/id/${id}`, license: "CC-BY-4.0" });
  expect(item.issued).toEqual({ "date-parts": [[2027, 2, 3]] });
  expect(item.author).toEqual([{ literal: "Ada Lovelace" }]);
});

test.each([
  ["REPOSITORY", undefined, "Spikes [Computer software]. Hill. https://hill.example/resources/repositories/"],
  ["NOTEBOOK", undefined, "Spikes [Computational notebook]. Hill. https://hill.example/resources/notebooks/"],
  ["DATASET", undefined, "Spikes [Data set]. Hill. https://hill.example/resources/datasets/"],
  ["MODEL", "1.2", "Spikes (Version 1.2) [Computer software]. Hill. https://hill.example/resources/models/"],
] as const)("a %s is cited as what it is", (type, version, end) => {
  const item = cslItem({ ...entry, type, ...(version && { version }) }, "Hill", "https://hill.example");
  expect(cite(item, "APA")).toBe(`Doe, J., & lab@example.org (2026). ${end}${id}`);
});
