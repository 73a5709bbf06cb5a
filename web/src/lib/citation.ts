import { folded } from "./tags";

/** A name as CSL-JSON has it: its parts, or as a whole. */
export interface CslName {
  family?: string;
  given?: string;
  /** What precedes the family name: "van". */
  "non-dropping-particle"?: string;
  /** What follows it: "Jr." */
  suffix?: string;
  literal?: string;
  /** Which person of that name it is, as in 0000-0002-1825-0097. CSL-JSON has no place for it. */
  orcid?: string;
}

/**
 * A citable work as CSL-JSON (Citation Style Language 1.0.2, https://docs.citationstyles.org). It comes from the entry, or
 * from a source with more details, such as a CITATION.cff.
 */
export interface CslItem {
  id: string;
  type: string;
  title: string;
  author?: CslName[];
  issued?: { "date-parts": number[][] };
  version?: string;
  genre?: string;
  publisher?: string;
  /** The journal, the book or the proceedings. */
  "container-title"?: string;
  volume?: string;
  issue?: string;
  page?: string;
  license?: string;
  DOI?: string;
  URL?: string;
}

export const citationFormats = ["BibTeX", "APA", "CSL-JSON"] as const;

type CitationFormat = (typeof citationFormats)[number];

/** The citation of a work, ready to copy. */
export function cite(item: CslItem, format: CitationFormat): string {
  return { BibTeX: bibtex, APA: apa, "CSL-JSON": cslJson }[format](item);
}

function cslJson(item: CslItem): string {
  const author = item.author?.map(({ orcid, ...name }) => name);
  return JSON.stringify([{ ...item, ...(author && { author }) }], null, 2);
}

const yearOf = (item: CslItem) => item.issued?.["date-parts"][0]?.[0];
const familyOf = ({ family, "non-dropping-particle": particle }: CslName) =>
  family && [particle, family].filter(Boolean).join(" ");
const linkOf = (item: CslItem) => (item.DOI ? `https://doi.org/${item.DOI}` : item.URL);

// APA, 7th edition.

const apaKinds: Record<string, string> = { dataset: "Data set", software: "Computer software" };

function apa(item: CslItem): string {
  const authors = apaAuthors(item.author ?? []);
  const date = `(${yearOf(item) ?? "n.d."}).`;
  const kind = item.genre ?? apaKinds[item.type];
  const title = [item.title, item.version && `(Version ${item.version})`, kind && `[${kind}]`]
    .filter(Boolean)
    .join(" ");
  const sentence = /[.?!]$/.test(title) ? title : `${title}.`;
  const begin = authors === "" ? [sentence, date] : [authors, date, sentence];
  const within = apaContainer(item) ?? item.publisher;
  return [...begin, within && `${within}.`, linkOf(item)].filter(Boolean).join(" ");
}

/** The position in a journal or book: "Nature, 3(2), 10–20". */
function apaContainer({ "container-title": container, volume = "", issue, page }: CslItem): string | undefined {
  const number = volume + (issue ? `(${issue})` : "");
  return container && [container, number, page?.replace("-", "–")].filter(Boolean).join(", ");
}

/** Lists up to twenty names; of more, the first nineteen and the last. */
function apaAuthors(authors: CslName[]): string {
  const names = authors.map(apaName);
  const last = names.pop() ?? "";
  if (names.length === 0) return last;
  if (names.length < 20) return `${names.join(", ")}, & ${last}`;
  return `${names.slice(0, 19).join(", ")}, . . . ${last}`;
}

function apaName(name: CslName): string {
  const { given, literal, suffix } = name;
  const family = familyOf(name);
  if (family === undefined) return literal ?? given ?? "";
  const initials = (given ?? "")
    .split(/\s+/)
    .filter(Boolean)
    .map((word) =>
      word
        .split("-")
        .filter(Boolean)
        .map((part) => `${[...part][0]?.toUpperCase()}.`)
        .join("-"),
    );
  return [family, initials.join(" "), suffix].filter(Boolean).join(", ");
}

// BibTeX, with the entry types of biblatex and data archives; older styles treat them as @misc.

const bibtexKinds: Record<string, string> = {
  dataset: "dataset",
  software: "software",
  "article-journal": "article",
  "paper-conference": "inproceedings",
  book: "book",
  thesis: "thesis",
  report: "report",
};

function bibtex(item: CslItem): string {
  const fields: [string, string | undefined][] = [
    ["author", (item.author ?? []).map(bibtexName).join(" and ")],
    ["author+an:orcid", bibtexOrcids(item.author ?? [])],
    ["title", `{${bibtexText(item.title)}}`],
    ["year", yearOf(item)?.toString()],
    ["month", item.issued?.["date-parts"][0]?.[1]?.toString()],
    [
      item.type === "article-journal" ? "journal" : "booktitle",
      item["container-title"] && bibtexText(item["container-title"]),
    ],
    ["volume", item.volume && bibtexText(item.volume)],
    ["number", item.issue && bibtexText(item.issue)],
    ["pages", item.page && bibtexText(item.page).replace("-", "--")],
    ["version", item.version && bibtexText(item.version)],
    ["type", item.genre && bibtexText(item.genre)],
    ["publisher", item.publisher && bibtexText(item.publisher)],
    ["doi", item.DOI && bibtexAddress(item.DOI)],
    ["url", item.URL && bibtexAddress(item.URL)],
  ];
  const lines = fields.filter(([, value]) => value).map(([name, value]) => `  ${name} = {${value}}`);
  return `@${bibtexKinds[item.type] ?? "misc"}{${bibtexKey(item)},\n${lines.join(",\n")}\n}`;
}

/** In braces a name stays whole, even with commas or "and" in it. */
function bibtexName(name: CslName): string {
  const { given, literal, suffix } = name;
  const family = familyOf(name);
  if (family === undefined) return `{${bibtexText(literal ?? given ?? "")}}`;
  const whole = (part: string) => (/,|\band\b/i.test(part) ? `{${bibtexText(part)}}` : bibtexText(part));
  const parts = [family, suffix, given].filter((part) => part !== undefined && part !== "");
  return parts.length > 1 ? parts.map((part) => whole(part ?? "")).join(", ") : `{${bibtexText(family)}}`;
}

/** As biblatex notes something about single names. */
function bibtexOrcids(authors: CslName[]): string {
  return authors.flatMap(({ orcid }, index) => (orcid ? [`${index + 1}="${orcid}"`] : [])).join("; ");
}

const bibtexSigns: Record<string, string> = {
  "\\": "\\textbackslash{}",
  // BibTeX counts braces even after a backslash, so an unbalanced one would swallow what follows.
  "{": "\\textbraceleft{}",
  "}": "\\textbraceright{}",
  "~": "\\textasciitilde{}",
  "^": "\\textasciicircum{}",
  "<": "\\textless{}",
  ">": "\\textgreater{}",
  "|": "\\textbar{}",
  $: "\\$",
  "&": "\\&",
  "%": "\\%",
  "#": "\\#",
  _: "\\_",
};

function bibtexText(text: string): string {
  return text.replace(/\s+/g, " ").replace(/[\\{}~^<>|$&%#_]/g, (sign) => bibtexSigns[sign] ?? sign);
}

/** URLs aren't escaped for TeX; characters that would end the field are percent-encoded. */
function bibtexAddress(address: string): string {
  return address.replace(/[\\{}\s]/g, encodeURIComponent);
}

/** A key such as doe2026spikes, in ASCII letters that every program accepts. */
function bibtexKey(item: CslItem): string {
  const plain = (text: string) => folded(text).replace(/[^a-z0-9]/g, "");
  const [first] = item.author ?? [];
  const author = plain(first?.family?.split(" ").at(-1) ?? (first?.literal ?? "").split("@")[0] ?? "");
  const word = item.title
    .split(/\s+/)
    .map(plain)
    .find((each) => each.length > 3);
  return [author || "entry", yearOf(item) ?? "", (word ?? plain(item.title)).slice(0, 24)].join("");
}
