import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { descriptor, test as base } from "../../contribute/fixtures";
import { people } from "../people";
import type { CairnServer } from "../server";

const me = people.researcher.email;

/** Entries that the states need besides the demo's catalog. */
export const names = {
  private: "Patch clamp recordings, not yet published",
  long: `Multi-electrode recordings of the mouse visual cortex during natural movies, with behaviour, eye tracking and electro${"physio".repeat(8)}logy`,
  repository: "Spike sorting, step by step",
  remote: "Two-photon imaging of layer 2/3",
  lost: "Lost recording",
  arrays: "Climate of a small grid",
  cited: "Burst detection, notebook",
  lostProject: "A look at a lost recording",
} as const;

const description = `Sorts the spikes of **many electrodes** in four steps.

1. Filter the traces, see [the guide](https://example.org/guide).
2. Detect what crosses the threshold \`-4.5 sigma\`.

| step | minutes |
| --- | --- |
| filter | 2 |
| sort | 11 |`;

/** The ORCID iD of the example in ORCID's own documentation. */
export const carberry = "0000-0002-1825-0097";

const sorting = { name: names.repository, description, authors: [me, "training@example.org"], tags: ["neuroscience", "spike sorting"], privacy: "PUBLIC" };
/** The repository's current descriptor, which differs so that a sync has something to change. */
const sortingNow = { ...sorting, name: "Spike sorting in five steps", description: description.replace("four", "five"), tags: ["neuroscience", "electrophysiology"] };

const entry = { kind: "resource", description: "", authors: [me], tags: ["neuroscience"], privacy: "PUBLIC", headerImage: "" };
const entries = [
  { ...entry, externalId: "states-private", type: "DATASET", name: names.private, datasetUrl: "patch-clamp", privacy: "PRIVATE" },
  {
    ...{ ...entry, externalId: "states-long", type: "DATASET", name: names.long, datasetUrl: `https://data.example.org/${"a-long-folder/".repeat(8)}` },
    authors: Array.from({ length: 12 }, (_, index) => `author.${index + 1}@department.of.computational.neuroscience.example.org`),
    tags: Array.from({ length: 30 }, (_, index) => `recording session ${index + 1} of a long series`),
    description: `${"A description that goes on and on. ".repeat(30)}\n\n    ${"code".repeat(60)}`,
  },
  { ...entry, ...sorting, externalId: "states-sorting", type: "REPOSITORY", repositoryUrl: "https://github.com/lab/spike-sorting" },
  {
    ...{ ...entry, externalId: "states-remote", type: "DATASET", name: names.remote, datasetUrl: "https://data.example.org/two-photon.h5" },
    ...{ description: "Recordings of 400 neurons over five days.", headerImage: "https://pictures.example.org/neurons.png" },
  },
  {
    ...{ ...entry, externalId: "states-cited", type: "NOTEBOOK", name: names.cited, notebookPath: "https://github.com/lab/cited/blob/main/bursts.ipynb" },
    ...{ description: "Finds bursts, explained step by step.", version: "0.9", tags: [] },
    people: [
      { name: "Josiah Carberry", orcid: carberry, email: me, affiliation: { name: "Brown University", ror: "https://ror.org/05gq02987" } },
      { name: "Ana-Lena Müller", orcid: "" },
    ],
  },
  { ...entry, externalId: "states-lost", type: "DATASET", name: names.lost, datasetUrl: "lost-recording" },
  { ...entry, externalId: "states-arrays", type: "DATASET", name: names.arrays, datasetUrl: "arrays" },
];
const projects = [
  {
    ...{ kind: "project", externalId: "states-lost-project", name: names.lostProject, ownerId: me },
    ...{ repository: "demo-repository-first-steps", datasets: ["states-lost"], published: false },
  },
];

const citation = `cff-version: 1.2.0
title: Burst detection
license: Apache-2.0
version: "1.0"
keywords: [bursts, neuroscience]
authors:
  - {given-names: Josiah, family-names: Carberry, orcid: "https://orcid.org/${carberry}"}
  - {given-names: Grace, family-names: Hopper}
`;
const readme = "# Spike sorting\n\nStart with `sort.py`.\n\n- [x] filter\n- [ ] sort\n";
const program = "import numpy as np\n\n\ndef detect(trace, threshold=-4.5):\n    return np.flatnonzero(trace < threshold * trace.std())\n";

/** Files of arrays, which the server's own tests read too. */
const arrays = join(import.meta.dirname, "../../../internal/content/dataset/testdata/climate4.nc");

/** The tests of states share a server with these entries, and a stand-in for GitHub. */
export const test = base.extend<object, { cairn: CairnServer }>({
  cairn: [
    async ({ github }, use) => {
      await github.put(
        {
          name: "lab/spike-sorting",
          files: { "cairn.yml": descriptor(sortingNow), "README.md": readme, "sort.py": program, "data/trace.csv": "t,v\n0,-65\n" },
        },
        { name: "lab/new", files: { "cairn.yml": descriptor({ ...sorting, name: "Burst detection" }) } },
        { name: "lab/anothers", files: { "cairn.yml": descriptor({ ...sorting, authors: ["ada@example.org"] }) } },
        { name: "lab/faulty", files: { "cairn.yml": descriptor({ name: "", authors: ["Ada"], privacy: "open" }) } },
        { name: "lab/unsaid", files: { "cairn.yml": descriptor({ name: "Burst detection", description: "Finds bursts.", authors: ["Ada Lovelace"] }) } },
        {
          name: "lab/cited",
          files: {
            "cairn.yml": descriptor({ ...sorting, name: "Burst detection with a citation" }),
            "CITATION.cff": citation,
            "codemeta.json": JSON.stringify({ inLanguage: "en", license: "https://spdx.org/licenses/MIT" }),
            "bursts.ipynb": JSON.stringify({ nbformat: 4, nbformat_minor: 5, metadata: {}, cells: [] }),
          },
        },
        { name: "lab/bare", files: { "README.md": readme } },
      );
      const root = await mkdtemp(join(tmpdir(), "cairn-states-"));
      await cp(arrays, join(root, "arrays/climate4.nc"));
      const cairn = await github.startCairn({
        CAIRN_DATASETS_ROOT: root,
        CAIRN_WORKFLOW_NAME: "Airavata",
        CAIRN_WORKFLOW_URL: "https://airavata.example.org/create?app={applicationInterfaceId}",
      });
      try {
        await cairn.import(...entries, ...projects);
        await use(cairn);
      } finally {
        await cairn.close();
        await rm(root, { recursive: true });
      }
    },
    { scope: "worker" },
  ],
});

export { expect } from "@playwright/test";
