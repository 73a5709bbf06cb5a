import { expect, test } from "vitest";
import { type CslItem, cite } from "./citation";

const item: CslItem = {
  id: "https://hill.example/resources/datasets/1",
  type: "dataset",
  title: "The spikes of a neuron",
  author: [
    { given: "Jane", family: "Doe" },
    { given: "Jean-Luc", family: "van der Berg" },
    { literal: "lab@example.org" },
  ],
  issued: { "date-parts": [[2026, 11, 21]] },
  publisher: "Hill",
  URL: "https://hill.example/resources/datasets/1",
};

test("a dataset as BibTeX", () => {
  expect(cite(item, "BibTeX")).toBe(`@dataset{doe2026spikes,
  author = {Doe, Jane and van der Berg, Jean-Luc and {lab@example.org}},
  title = {{The spikes of a neuron}},
  year = {2026},
  month = {11},
  publisher = {Hill},
  url = {https://hill.example/resources/datasets/1}
}`);
});

test("a version, a kind and a DOI are in BibTeX", () => {
  const text = cite(
    { ...item, type: "software", version: "1.0_b", genre: "Computational notebook", DOI: "10.1/a_b" },
    "BibTeX",
  );
  expect(text).toMatch(/^@software\{doe2026spikes,\n/);
  expect(text).toContain("\n  version = {1.0\\_b},\n  type = {Computational notebook},\n");
  expect(text).toContain("\n  doi = {10.1/a_b},\n");
  expect(cite({ ...item, type: "webpage" }, "BibTeX")).toMatch(/^@misc\{/);
});

test.each([
  ["50% of R&D #1: $5_a", "50\\% of R\\&D \\#1: \\$5\\_a"],
  ["a \\input{x} b", "a \\textbackslash{}input\\textbraceleft{}x\\textbraceright{} b"],
  ["}, year = {1066", "\\textbraceright{}, year = \\textbraceleft{}1066"],
  ["x ~ y ^ <b>|", "x \\textasciitilde{} y \\textasciicircum{} \\textless{}b\\textgreater{}\\textbar{}"],
  ["two\n  lines\tand @comment{x}", "two lines and @comment\\textbraceleft{}x\\textbraceright{}"],
  ["神経 🧠 “x”", "神経 🧠 “x”"],
])("BibTeX has %j as %j", (title, written) => {
  expect(cite({ ...item, title }, "BibTeX")).toContain(`\n  title = {{${written}}},\n`);
});

test("whatever a field says, braces are balanced and the entry has the same fields", () => {
  const hostile = '\\}{{ } and {\\{ "@article{x, and, and\n}}';
  const whole = { ...item, title: hostile, version: hostile, publisher: hostile, URL: `https://x.example/${hostile}` };
  const text = cite({ ...whole, author: [{ literal: hostile }, { family: hostile, given: hostile }] }, "BibTeX");
  let depth = 0;
  const fields: string[] = [];
  for (const [sign] of text.matchAll(/[{}]|\w+ = /g)) {
    if (sign === "{") depth += 1;
    else if (sign === "}") depth -= 1;
    else if (depth === 1) fields.push(sign);
    expect(depth).toBeGreaterThanOrEqual(0);
  }
  expect(depth).toBe(0);
  expect(fields).toEqual(["author = ", "title = ", "year = ", "month = ", "version = ", "publisher = ", "url = "]);
  expect(text.split("\n")).toHaveLength(fields.length + 2);
});

test.each([
  [{ literal: "søren_k@example.org" }, "Éa b", "srenk2026eab"],
  [{ family: "van der Berg", given: "J" }, "Über Mäuse", "berg2026uber"],
  [{ literal: "李@example.org" }, "脳", "entry2026"],
])("the BibTeX key of %j and %j is %s", (author, title, key) => {
  const text = cite({ ...item, author: [author], title }, "BibTeX");
  expect(text.split("\n")[0]).toBe(`@dataset{${key},`);
});

test("APA: initials, kind, publisher and address", () => {
  expect(cite(item, "APA")).toBe(
    "Doe, J., van der Berg, J.-L., & lab@example.org (2026). The spikes of a neuron [Data set]. Hill. https://hill.example/resources/datasets/1",
  );
});

test("APA of software with a version, by one author", () => {
  const software = {
    ...item,
    type: "software",
    version: "16",
    author: [{ family: "Doe", given: "Jane Ann" }],
    DOI: "10.1/x",
  };
  expect(cite(software, "APA")).toBe(
    "Doe, J. A. (2026). The spikes of a neuron (Version 16) [Computer software]. Hill. https://doi.org/10.1/x",
  );
  expect(cite({ ...software, genre: "Computational notebook" }, "APA")).toContain(
    "(Version 16) [Computational notebook].",
  );
});

test("APA without authors, date and kind", () => {
  expect(cite({ id: "1", type: "book", title: "Why not?" }, "APA")).toBe("Why not? (n.d.).");
});

test("APA lists twenty authors, and of more the first nineteen and the last", () => {
  const authors = Array.from({ length: 21 }, (_, index) => ({ family: `A${index + 1}`, given: "B" }));
  expect(cite({ ...item, author: authors.slice(0, 20) }, "APA")).toContain("A19, B., & A20, B. (2026)");
  expect(cite({ ...item, author: authors }, "APA")).toContain("A19, B., . . . A21, B. (2026)");
});

test("CSL-JSON is a list that programs read back", () => {
  expect(JSON.parse(cite(item, "CSL-JSON"))).toEqual([item]);
});

test("ORCID iDs are in BibTeX as biblatex reads them, and not in CSL-JSON, which has no place for them", () => {
  const [jane, jean, lab] = item.author ?? [];
  const author = [{ ...jane, orcid: "0000-0002-1825-0097" }, { ...jean }, { ...lab, orcid: "0000-0001-5109-3700" }];
  expect(cite({ ...item, author }, "BibTeX")).toContain(
    '\n  author+an:orcid = {1="0000-0002-1825-0097"; 3="0000-0001-5109-3700"},\n',
  );
  expect(JSON.parse(cite({ ...item, author }, "CSL-JSON"))).toEqual([item]);
});

test("an article that a repository wants cited has its journal", () => {
  const article: CslItem = {
    id: "10.1/x",
    type: "article-journal",
    title: "Sorting spikes",
    author: [
      { given: "Ludwig", family: "Beethoven", "non-dropping-particle": "van" },
      { given: "Martin L.", family: "King", suffix: "Jr." },
    ],
    issued: { "date-parts": [[2024, 7]] },
    "container-title": "Spikes & Co",
    volume: "3",
    issue: "2",
    page: "10-20",
    DOI: "10.1/x",
  };
  expect(cite(article, "APA")).toBe(
    "van Beethoven, L., & King, M. L., Jr. (2024). Sorting spikes. Spikes & Co, 3(2), 10–20. https://doi.org/10.1/x",
  );
  expect(cite(article, "BibTeX")).toBe(`@article{beethoven2024sorting,
  author = {van Beethoven, Ludwig and King, Jr., Martin L.},
  title = {{Sorting spikes}},
  year = {2024},
  month = {7},
  journal = {Spikes \\& Co},
  volume = {3},
  number = {2},
  pages = {10--20},
  doi = {10.1/x}
}`);
  expect(cite({ ...article, type: "paper-conference" }, "BibTeX")).toMatch(/^@inproceedings\{.*\n {2}booktitle = /s);
});
