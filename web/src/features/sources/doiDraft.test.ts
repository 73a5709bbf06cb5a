import { expect, test } from "vitest";
import type { ArchivedRecord } from "@/api/types";
import { doiDraft, likelyType } from "./doiDraft";

const record: ArchivedRecord = {
  ...{
    doi: "10.5281/zenodo.1",
    title: "Waves",
    description: "How they meet.",
    archive: "Zenodo",
    url: "https://zenodo.org/records/1",
  },
  ...{
    people: [{ name: "Jane Doe", orcid: "0000-0002-1825-0097" }],
    keywords: ["waves"],
    files: [],
    bytes: 0,
    restricted: false,
  },
};

test("the form begins with what the archive says", () => {
  expect(doiDraft({ ...record, license: "CC-BY-4.0", version: "2" })).toEqual({
    ...{ doi: "10.5281/zenodo.1", name: "Waves", description: "How they meet.", tags: ["waves"] },
    ...{ people: record.people, license: "CC-BY-4.0", version: "2" },
  });
});

test("what isn't on the list of licenses isn't filled in", () => {
  expect(doiDraft({ ...record, licenseText: "Ask us" })).toMatchObject({ license: "", version: "" });
});

test("a title that is too long is cut", () => {
  const { name } = doiDraft({ ...record, title: "🌊".repeat(300) });
  expect(name).toBe(`${"🌊".repeat(199)}…`);
});

test("a release of a code host is code, and other records are data", () => {
  const file = (path: string, fetched = true) => ({ path, comparable: true, fetched });
  expect(likelyType({ files: [file("lab/waves-1.0.zip")] })).toBe("REPOSITORY");
  expect(likelyType({ files: [file("lab/waves-1.0.zip"), file("secret.csv", false)] })).toBe("REPOSITORY");
  expect(likelyType({ files: [file("waves.zip")] })).toBe("DATASET");
  expect(likelyType({ files: [file("lab/waves.zip"), file("notes.txt")] })).toBe("DATASET");
  expect(likelyType({ files: [file("lab/waves.csv")] })).toBe("DATASET");
  expect(likelyType({ files: [] })).toBe("DATASET");
});
