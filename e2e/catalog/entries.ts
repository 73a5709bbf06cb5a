/*
 * Entries added to the demo catalog: enough for several pages, more tags than a facet lists, every type, and hostile or
 * awkward text.
 */

/** Entries with the same tag, enough for two pages. Their names begin with "Series". */
export const series = { tag: "series", count: 130 };

/** More tags than a facet lists; each entry of the series has one of them. */
export const rareTags = Array.from({ length: 65 }, (_, index) => `rare ${String(index).padStart(2, "0")}`);

/** Text that runs as script or breaks out of its element unless it is escaped. */
export const hostileNames = [
  `<img src=x onerror="window.taken=1">`,
  `</script><script>window.taken=1</script>`,
  `"><svg onload=window.taken=1>`,
  "{{constructor.constructor('window.taken=1')()}}",
  "javascript:window.taken=1",
  "__proto__ and %00%0d%0aX-Evil: 1",
];
export const hostileTags = ["<b>bold</b>", "</script><script>window.taken=1</script>", "' onmouseover='window.taken=1"];
export const hostileAuthor = "o'hara&amp{{7*7}}${1}`@example.org";

/** What cards call that author. */
export const hostileAuthorName = "O'hara&amp{{7*7}}${1}`";

const author = "maker@example.org";

interface Entry {
  externalId: string;
  type: string;
  name: string;
  description?: string;
  authors?: string[];
  tags?: string[];
  privacy?: string;
  [rest: string]: unknown;
}

function entry({ externalId, type, ...rest }: Entry): object {
  const own: Record<string, object> = {
    DATASET: { datasetUrl: `https://data.example.org/${externalId}` },
    REPOSITORY: { repositoryUrl: `https://github.com/maker/${externalId}` },
    NOTEBOOK: { notebookPath: "bundled:random-walk-diffusion.ipynb" },
    MODEL: { applicationInterfaceId: externalId, version: "1.0" },
  };
  return {
    ...{ kind: "resource", externalId, type, description: "", authors: [author], tags: [], privacy: "PUBLIC", headerImage: "" },
    ...own[type],
    ...rest,
  };
}

const inSeries = Array.from({ length: series.count }, (_, index) =>
  entry({
    externalId: `series-${index}`,
    type: "DATASET",
    name: `Series ${String(index + 1).padStart(3, "0")}`,
    description: `Number **${index + 1}** of a [long](https://example.org) series.`,
    tags: [series.tag, rareTags[index % rareTags.length] ?? ""],
  }),
);

const shown = [
  ...["NOTEBOOK", "REPOSITORY", "DATASET", "MODEL"].map((type) =>
    entry({
      externalId: `quokka-${type.toLowerCase()}`,
      type,
      name: `Quokka ${type.toLowerCase()}`,
      description: `# Quokka\n\nA **marsupial** as a [${type.toLowerCase()}](https://example.org/${type}), ${"described at length, ".repeat(30)}to the end.`,
      authors: ["first@example.org", "second@example.org"],
      tags: ["zoo", "Marsupials", "md, namd", "back\\slash", "été"],
    }),
  ),
  entry({ externalId: "quokka-short", type: "DATASET", name: "Quokka", tags: ["zoo"] }),
  entry({
    externalId: "quokka-long",
    type: "MODEL",
    name: `Quokka ${"Rottnestisland".repeat(13)}`,
    description: "unbroken".repeat(100),
    authors: [`${"long.name.".repeat(6)}x@${"sub.".repeat(20)}example.org`],
    tags: ["zoo", ...Array.from({ length: 20 }, (_, index) => `many tags on one card ${index}`)],
  }),
];

/** Pictures from a source the server doesn't fetch, with an unknown name, and one that a test serves. */
export const pictured = { refused: "Picture refused", none: "Picture none", shown: "Picture shown" };

// Private, so only the test that looks for it sees it: a missing picture is an error in the browser.
const pictures = Object.entries({
  [pictured.refused]: "http://127.0.0.1:9/x.png",
  [pictured.none]: "image.png",
  [pictured.shown]: "https://pictures.example.org/x.png",
}).map(([name, headerImage]) =>
  entry({
    ...{ externalId: name.replace(" ", "-"), type: "DATASET", name, headerImage, tags: ["pictures"] },
    ...{ authors: ["operator@example.org"], privacy: "PRIVATE" },
  }),
);

/** Visible only to its author. The name sorts last. */
export const hidden = { name: "Zzz quokka of Robin", author: "researcher@example.org" };

const private_ = [
  entry({ externalId: "hidden", type: "DATASET", name: hidden.name, authors: [hidden.author], privacy: "PRIVATE", tags: ["zoo"] }),
];

const hostile = hostileNames.map((name, index) =>
  entry({
    externalId: `hostile-${index}`,
    type: ["NOTEBOOK", "REPOSITORY", "DATASET", "MODEL"][index % 4] ?? "",
    name,
    description: `hostile ${name} <iframe src="javascript:window.taken=1"></iframe> [x](javascript:window.taken=1)`,
    authors: [hostileAuthor],
    tags: ["hostile", ...hostileTags],
  }),
);

/** One entry for each width, which a test deletes. */
export const doomed = (project: string) => `Doomed wombat of the ${project}`;

const deletable = ["phone", "desktop"].map((project) =>
  entry({ externalId: `doomed-${project}`, type: "NOTEBOOK", name: doomed(project), authors: [hidden.author], tags: ["wombat"] }),
);

export const entries: object[] = [...inSeries, ...shown, ...private_, ...pictures, ...hostile, ...deletable];
