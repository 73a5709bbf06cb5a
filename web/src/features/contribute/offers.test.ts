import { expect, test } from "vitest";
import type { Found } from "@/api/types";
import { newDraft } from "./entryDraft";
import { offersOf } from "./offers";

const ada = { name: "Ada King", orcid: "0000-0002-1825-0097", affiliation: { name: "Institute", ror: "" } };
const found: Found = {
  asked: [],
  from: {
    ...{
      name: "DataCite",
      description: "DataCite",
      version: "codemeta.json",
      license: "CITATION.cff",
      doi: "CITATION.cff",
    },
    ...{ tags: "github.com", people: "CITATION.cff", funding: "DataCite", relatedIdentifiers: "DataCite" },
  },
  ...{ name: "Spikes", description: "About\n\nspikes", version: "2", license: "Apache-2.0", doi: "10.5281/zenodo.1" },
  tags: ["md", "neuro"],
  people: [ada, { name: "Bob", orcid: "" }],
  funding: [{ funder: "ERC", awardNumber: "7" }],
  relatedIdentifiers: [{ identifier: "10.1000/1", type: "DOI", relation: "Cites" }],
};

test("everything that a draft lacks is offered with its source", () => {
  const offers = offersOf(found, newDraft("ada@example.org"));
  expect(offers.license).toEqual({ source: "CITATION.cff", text: "Apache-2.0", part: { license: "Apache-2.0" } });
  expect(offers.people).toEqual({ source: "CITATION.cff", text: "Ada King, Bob", part: { people: found.people } });
  expect(offers.description?.text).toBe("About spikes");
  expect(offers.language).toBeUndefined();
  expect(Object.keys(offers)).toHaveLength(9);
});

test("what a draft says already isn't offered, and its own words stay", () => {
  const { funding = [], relatedIdentifiers = [], people = [] } = found;
  const draft = {
    ...newDraft("ada@example.org"),
    ...{ name: "Mine", description: "My own.", version: "2", license: "apache-2.0", doi: "10.5281/Zenodo.1" },
    ...{ tags: ["neuro", "md", "x"], funding, relatedIdentifiers, people },
  };
  expect(offersOf(found, draft)).toEqual({});
});

test("lists are completed", () => {
  const draft = {
    ...newDraft("ada@example.org"),
    tags: ["mine", "md"],
    people: [
      { name: "ada king", orcid: "", email: "ada@example.org" },
      { name: "Eve", orcid: "" },
    ],
    funding: [{ funder: "ERC", awardNumber: "8" }],
  };
  const offers = offersOf(found, draft);
  expect(offers.tags?.part.tags).toEqual(["mine", "md", "neuro"]);
  expect(offers.funding?.part.funding).toHaveLength(2);
  expect(offers.people?.part.people).toEqual([
    { name: "ada king", orcid: ada.orcid, email: "ada@example.org", affiliation: ada.affiliation },
    { name: "Eve", orcid: "" },
    { name: "Bob", orcid: "" },
  ]);
});

test("people who are known by their addresses alone are replaced: nobody typed a name", () => {
  const draft = { ...newDraft("ada@example.org"), people: [{ name: "", orcid: "", email: "ada@example.org" }] };
  expect(offersOf(found, draft).people?.part.people).toEqual(found.people);
});
