import { expect, test } from "vitest";
import type { Resource, Run } from "@/api/types";
import { cite } from "@/lib/citation";
import { askedItem, cslItem, namesAreGuessed, runItem } from "./cslItem";

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
    author: [{ given: "Jane", family: "Doe" }, { literal: "Lab" }],
    issued: { "date-parts": [[2026, 12, 31]] },
    publisher: "Hill",
    URL: address,
  });
});

test("people credited by name are cited instead of addresses, with the DOI", () => {
  const people = [
    { name: "Ada Lovelace", orcid: "0000-0002-1825-0097" },
    { name: "", orcid: "", email: "lab@example.org" },
  ];
  const item = cslItem({ ...entry, people, doi: "10.1234/spikes" }, "Hill", "https://hill.example");
  expect(item.author).toEqual([{ given: "Ada", family: "Lovelace", orcid: "0000-0002-1825-0097" }]);
  expect(namesAreGuessed({ ...entry, people })).toBe(false);
  expect(namesAreGuessed(entry)).toBe(true);
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
  expect(item.author).toEqual([{ given: "Ada", family: "Lovelace" }]);
});

test("what a citation file doesn't say is the entry's own, unless it asks for an article", () => {
  const own = cslItem({ ...entry, type: "REPOSITORY", version: "2.1" }, "Hill", "https://hill.example");
  const asked = { id: "Spikes", type: "software", title: "Spikes", author: [{ family: "Doe" }] };
  expect(askedItem(asked, own)).toEqual({ ...asked, version: "2.1", issued: own.issued, URL: own.URL });
  const whole = { ...asked, version: "3", issued: { "date-parts": [[2020]] }, DOI: "10.1/x" };
  expect(askedItem(whole, own)).toEqual(whole);
  expect(askedItem({ ...asked, type: "article-journal", DOI: "10.1/x" }, own)).toEqual({
    ...asked,
    type: "article-journal",
    DOI: "10.1/x",
  });
});

test("a run is cited as its crate: its own address, the day when it ended, and the commit", () => {
  const run: Run = {
    ...{ id: "01900000-0000-7000-8000-000000000001", resourceId: id, file: "first-steps.ipynb", commit: "0c9e2f" },
    ...{ state: "DONE", verdict: "CLEAN", startedBy: "schedule", engine: "local", environment: {} },
    ...{ queuedAt: "2027-01-01T22:00:00Z", startedAt: "2027-01-01T23:00:00Z", endedAt: "2027-01-02T00:30:00Z" },
    cells: { total: 1, ran: 1, same: 1, close: 0, differs: 0, varies: 0 },
  };
  const people = [{ name: "Ada Lovelace", orcid: "0000-0002-1825-0097" }];
  const item = runItem(run, { ...entry, people, license: "MIT" }, "Hill", "https://hill.example");
  const address = `https://hill.example/api/v1/rf/resources/public/${id}/runs/${run.id}/crate.zip`;
  expect(item).toEqual({
    ...{ id: address, URL: address, type: "dataset", genre: "RO-Crate", publisher: "Hill", license: "MIT" },
    title: "Run of first-steps.ipynb of Spikes on 2027-01-02",
    author: [{ given: "Ada", family: "Lovelace", orcid: "0000-0002-1825-0097" }],
    issued: { "date-parts": [[2027, 1, 2]] },
    version: "0c9e2f",
  });
  expect(cite(item, "APA")).toBe(
    `Lovelace, A. (2027). Run of first-steps.ipynb of Spikes on 2027-01-02 (Version 0c9e2f) [RO-Crate]. Hill. ${address}`,
  );
  const { commit, ...elsewhere } = { ...run, file: "Spikes" };
  expect(runItem(elsewhere, entry, "Hill", "https://hill.example")).toMatchObject({
    title: "Run of Spikes on 2027-01-02",
  });
  expect(runItem(elsewhere, entry, "Hill", "https://hill.example")).not.toHaveProperty("version");
});

test.each([
  ["REPOSITORY", undefined, "Spikes [Computer software]. Hill. https://hill.example/resources/repositories/"],
  ["NOTEBOOK", undefined, "Spikes [Computational notebook]. Hill. https://hill.example/resources/notebooks/"],
  ["DATASET", undefined, "Spikes [Data set]. Hill. https://hill.example/resources/datasets/"],
  ["MODEL", "1.2", "Spikes (Version 1.2) [Computer software]. Hill. https://hill.example/resources/models/"],
] as const)("a %s is cited as what it is", (type, version, end) => {
  const item = cslItem({ ...entry, type, ...(version && { version }) }, "Hill", "https://hill.example");
  expect(cite(item, "APA")).toBe(`Doe, J., & Lab (2026). ${end}${id}`);
});
