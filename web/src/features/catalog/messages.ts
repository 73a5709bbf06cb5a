import type { ResourceType } from "@/api/types";
import { count } from "@/lib/format";

/** All words of the catalog that people read, by component. */

const placeholder = "Names, topics, tags, authors";
const anyOf = (values: readonly string[]) => (values.length === 0 ? "any" : values.join(", "));

export const kindMessages: Record<ResourceType | "OTHER", { label: string; plural: string; description: string }> = {
  REPOSITORY: {
    label: "Repository",
    plural: "Repositories",
    description: "Code with its history, ready to be opened in a session or cloned to your own machine.",
  },
  NOTEBOOK: {
    label: "Notebook",
    plural: "Notebooks",
    description: "Worked examples in text, code and pictures, to read here or to run in a session.",
  },
  DATASET: {
    label: "Dataset",
    plural: "Datasets",
    description: "Data that sessions can read, local or remote, without a copy of your own.",
  },
  MODEL: {
    label: "Model",
    plural: "Models",
    description: "Applications with their version, to be run as experiments on the workflow platform.",
  },
  OTHER: { label: "Other", plural: "Others", description: "" },
};

export const sortMessages = {
  relevance: "relevance",
  name: "name",
  newest: "newest first",
  stars: "most stars first",
} as const;

export const sortChoiceMessages = { lead: ", sorted by", label: "Sorted by" } as const;

export const catalogPageMessages = {
  subtitle: "Notebooks, repositories, datasets and models, to run locally or remotely.",
  search: "Search the catalog",
  placeholder,
  failure: "The catalog could not be read.",
  invalidType: "Invalid resource type",
  validTypes: (unknown: string, types: readonly string[]) =>
    `There is no type ${unknown}. The types are ${types.join(", ")}.`,
  fetching: "Error fetching resources",
  fetchingDetail: "An error occurred while fetching resources.",
} as const;

export const catalogGlimpseMessages = {
  title: "In the catalog now",
  all: (total: number) => `See all ${count(total, "entry", "entries")}`,
  starred: "See the most starred",
  failure: "What is in the catalog could not be read.",
  none: "There are no entries yet.",
  add: "Add the first one",
} as const;

export const kindPageMessages = {
  search: (noun: string) => `Search ${noun}`,
  placeholder,
  failure: (noun: string) => `The ${noun} could not be read.`,
  none: (noun: string) => `There are no ${noun} yet.`,
  noneDetail: "They are shown here as soon as somebody adds one.",
  add: "Add an entry",
  noMatch: (text: string) => `Nothing matches “${text}”.`,
  noMatchDetail: "Fewer or shorter words find more.",
  all: (noun: string) => `Show all ${noun}`,
} as const;

export const starredPageMessages = {
  subtitle: "What you marked to find it again, the newest star first.",
  nobody: "There is nobody to keep stars for.",
  nobodyDetail: "Your identity provider gives no e-mail address for you. Verify your address there and sign in again.",
  failure: "Your stars could not be read.",
  kept: "None of them is lost.",
  none: "Nothing is starred yet.",
  noneDetail: "Star an entry in the catalog and it is kept here.",
  total: (entries: number) => count(entries, "entry", "entries"),
} as const;

export const resultsMessages = {
  kept: "What you searched for is kept.",
  label: "Results",
  total: (results: number) => count(results, "result", "results"),
  none: "Nothing found",
  noPage: (page: number) => `There is no page ${page}.`,
  pages: (pages: number) => `What matches fills ${count(pages, "page", "pages")}.`,
  showPage: (page: number) => `Show page ${page}`,
  nothingMatched: (text: string) => `Nothing matched “${text}”. Showing results for `,
  corrected: (text: string) => `“${text}”`,
  end: ".",
} as const;

export const resourceGridMessages = { loading: "Loading entries" } as const;

export const nothingFoundMessages = {
  title: "No resources found with the following criteria",
  all: "Show the whole catalog",
  text: "Text",
  tags: "Tags",
  types: "Types",
  anyOf,
} as const;

export const indexStateMessages = { title: "The search is getting ready.", bar: "Search index" } as const;

export const searchTipsMessages = {
  title: "Search tips",
  /** Around the key. */
  key: ["The key ", " leads to the search box from anywhere on the page."],
  turnOff: "Turn the key off",
  turnOn: "Turn the key on",
  tips: [
    ["spike mem", "both words, in any order; the last may be unfinished"],
    ['"visual cortex"', "exactly these words"],
    ["tag:neuroscience", "with this tag"],
    ["type:model", "of this type: repository, notebook, dataset or model"],
    ["author:ada", "by this author"],
  ],
} as const;

export const typeFilterMessages = { label: "Types" } as const;

export const tagFilterMessages = { title: "Tags" } as const;

export const appliedFiltersMessages = {
  label: "Applied filters",
  text: (text: string) => `“${text}”`,
  removeText: (text: string) => `Remove the text ${text}`,
  removeType: (type: string) => `Remove the type ${type}`,
  removeTag: (tag: string) => `Remove the tag ${tag}`,
  clear: "Clear all",
} as const;

export const tagSheetMessages = {
  title: "Tags",
  close: "Close",
  show: (results: number) => `Show ${count(results, "result", "results")}`,
} as const;

export const tagListMessages = {
  search: "Search within tags",
  placeholder: "Find a tag",
  near: "Tags of what matches",
  far: "Elsewhere in the catalog",
  looking: "Looking for tags",
  none: "No such tag",
  more: "Show more",
} as const;

export const moreButtonMessages = {
  all: (total: number, noun: string) => `All ${count(total, noun, noun)}`,
  fewer: (noun: string) => `Fewer ${noun}`,
} as const;

export const resourceCardMessages = {
  private: "Private",
  actions: (name: string) => `Actions for ${name}`,
  delete: "Delete",
  tags: "Tags",
  stars: (stars: number) => (stars === 1 ? " star" : " stars"),
} as const;

export const starMessages = {
  star: "Star",
  unstar: "Unstar",
  starred: "Starred",
  unstarred: "Unstarred",
  failure: "Error liking resource",
} as const;

export const deleteResourceMessages = {
  title: "Delete resource",
  warning: "It leaves the catalog for everybody. Projects that use it can no longer start sessions.",
  done: "Resource deleted",
  failure: "Error deleting session",
} as const;

export const resourcePageMessages = {
  waitingTitle: "Entry",
  private: "Private",
  privateDetail: "This resource is private and can only be seen by the resource's authors",
  edit: "Edit",
  delete: "Delete",
  facts: "Facts",
  about: "About",
  noDescription: "There is no description.",
  loading: "Loading the entry",
  failure: "The entry could not be read.",
  notFound: "Resource not found",
  absent: "There is no such entry, or you may not see it.",
  browse: "Browse the catalog",
  privateToAuthors: "If it is private, only its authors see it.",
  signInBefore: "If it is private, ",
  signIn: "sign in",
  signInAfter: " as one of its authors.",
} as const;

export const resourceTagsMessages = { label: "Tags", noun: "tags" } as const;

export const resourceFactsMessages = {
  title: "Facts",
  glimpse: (authors: number, updated: string) => `${count(authors, "author", "authors")}, updated ${updated}`,
  authors: (authors: number) => (authors === 1 ? "Author" : "Authors"),
  authorsNoun: "authors",
  byAuthor: (author: string) => `Entries by ${author}`,
  version: "Version",
  added: "Added",
  updated: "Updated",
  stars: "Stars",
  privacy: "Privacy",
  private: "Private, seen by its authors",
  public: "Public, seen by everybody",
  links: "Links",
  run: "Run",
  runOn: (platform: string) => `On ${platform}`,
} as const;

export const resourceActionsMessages = {
  use: "Use in a project",
  cite: "Cite",
  copyLink: "Copy link",
} as const;

export const citeDialogMessages = {
  title: (kind: string) => `Cite this ${kind.toLowerCase()}`,
  loading: "Looking for a citation in the repository",
  formats: "Formats",
  copy: (format: string) => `citation as ${format}`,
  asAsked: "As the repository asks in its file CITATION.cff.",
  guessed:
    "Names are read from the authors' e-mail addresses; one that spells no name stands as it is. The date is the day when it was added here. Check them.",
} as const;

export const resourceUseMessages = {
  repository: "Use this repository",
  dataset: "Use this dataset",
  model: "Run this model",
  livesAt: "It lives at",
  cloneAddress: "clone address",
  clone: "Clone it to your own machine",
  cloneCommand: "clone command",
  repositoryInSession: "In a session of a project with it, it is there already",
  pathInSession: "path in a session",
  onServer: "It is a folder on the server",
  folder: "folder",
  address: "address",
  ships: "It ships with this server.",
  datasetInSession: "In a session of a project with it, to be read only",
  forPrograms: "The same for programs, from any folder",
  pathForPrograms: "path for programs",
  modelRuns: (platform: string, opens: boolean) =>
    `Models run as experiments on ${platform}${opens ? ", which opens in a new tab" : ""}.`,
  create: (name: string, version: string | undefined, platform: string) =>
    `Create ${name}${version ? ` (${version})` : ""} in ${platform}`,
  noAddress: (platform: string) => `The operators have not named an address of ${platform}.`,
} as const;

export const notebookViewMessages = {
  title: "Notebook",
  ships: "ships with this server",
  asOf: (moment: string) => `as of ${moment}`,
  use: "Use in a project",
  frame: (name: string) => `Notebook ${name}`,
  again: "Reading the notebook again",
  failure: "The notebook cannot be shown.",
  source: "Open the source",
} as const;

export const datasetPreviewMessages = {
  title: "Files",
  elsewhere: (host: string) => `The data lives at ${host}, so there is no preview of it here.`,
  failure: "The files could not be read.",
  loading: "Loading the files",
} as const;

export const datasetFilesMessages = {
  label: "Files",
  empty: "This folder is empty.",
  shown: (total: number, shown: number, more: boolean) =>
    `${more ? "More than " : ""}${count(total, "entry", "entries")}; ${count(shown, "is", "are")} shown.`,
  bytes: (size: number) => count(size, "byte", "bytes"),
  folder: "folder",
  noFile: "no file",
  way: "Folder",
  root: "All files",
} as const;

export const filePreviewMessages = {
  notAFile: "This is no file: a link that leads out of the dataset or nowhere, or a device.",
  noPreview: "There is no preview of files of this kind.",
  inSession: "In a session it lies in",
  end: ".",
  empty: "This file is empty.",
  text: (path: string) => `Text of ${path}`,
  beginning: (size: string) => `The beginning of a file of ${size}.`,
  failure: "The file could not be read.",
  loading: "Loading the file",
} as const;

export const tablePreviewMessages = {
  none: "There are no rows in this file.",
  label: (path: string) => `First rows of ${path}`,
  row: "Row",
  kinds: { NUMBER: "number", DATE: "date", TEXT: "text", EMPTY: "empty" },
  range: (from: string, to: string) => `${from} to ${to}`,
  rows: (rows: number) => count(rows, "row", "rows"),
  all: (rows: string) => `${rows}.`,
  first: (shown: number, rows: string, complete: boolean) =>
    `The first ${shown} of ${complete ? "" : "more than "}${rows}.`,
  measuredFrom: (rows: string, size: string) => `Ranges and plots come from the first ${rows} of ${size}.`,
  moreColumns: (columns: number) => `${count(columns, "more column is", "more columns are")} not shown.`,
  noHeader: "The file does not name its columns.",
  uneven: (rows: number) => `${count(rows, "row has", "rows have")} fewer or more cells than others.`,
  encoding: (encoding: string) => `The text is written in ${encoding}.`,
} as const;

export const columnPlotMessages = {
  column: "Column",
  line: "Line",
  distribution: "Distribution",
  distributionOf: (name: string, values: string) => `Distribution of ${name}. ${values}`,
  lineOf: (name: string, order: string | undefined, values: string) =>
    `${name} against ${order ?? "the number of the row"}. ${values}`,
  row: "row",
  rows: (rows: number, complete: boolean) => `${complete ? "" : "the first "}${count(rows, "row", "rows")}`,
  values: (numbers: number, rows: string, smallest: string, largest: string, mean: string) =>
    `${count(numbers, "value", "values")} from ${rows}: smallest ${smallest}, largest ${largest}, mean ${mean}.`,
  noNumber: (rows: number) => ` ${count(rows, "row has", "rows have")} no number.`,
  allAlike: (value: string) => `All values are ${value}.`,
} as const;

export const editEntryMessages = {
  title: (name: string) => `Edit ${name}`,
  absent: "There is no such entry, or you may not see it.",
  browse: "Browse the catalog",
  failure: "The entry could not be read.",
  loading: "Loading the entry",
  ofRepository: "The entry of a repository says what the descriptor file in it says.",
  syncIt: "Change that file, then sync the entry.",
  authorsOnly: "Only the authors of an entry change it.",
  show: (kind: string) => `Show the ${kind.toLowerCase()}`,
} as const;

export const fieldMessages = {
  name: "Name",
  description: "Description",
  headerImage: "Header image",
  tags: "Tags",
  authors: "Authors",
  privacy: "Who sees it",
  datasetUrl: "Web address of the data",
  notebookPath: "Web address of the notebook",
  applicationInterfaceId: "Application interface id",
  version: "Version",
} as const;

export const fieldHelpMessages = {
  description: "Optional. Markdown: **bold**, lists, tables, links. Up to 20,000 characters.",
  headerImage: "Optional. The web address of a picture. It is shown on the card and loaded by this server alone.",
  tags: "Optional. Enter adds one. Up to 30, each up to 60 characters; a comma may be part of a tag.",
  authors:
    "E-mail addresses. Authors may change and delete the entry, and see it while it is private; they need no account yet.",
  datasetUrl: "It begins with https://. Sessions read it from there.",
  notebookPath: "As in https://github.com/owner/name/blob/main/analysis.ipynb: on GitHub, or wherever the file is.",
  applicationInterfaceId: "What the workflow platform calls the application that runs this model.",
  version: "Optional. As people cite it, for instance 2.1.",
} as const;

export const entryFormMessages = {
  tag: "tag",
  author: "author",
  privacies: {
    PUBLIC: { label: "Everybody", help: "It is in the catalog for all visitors." },
    PRIVATE: { label: "Its authors only", help: "Nobody else finds it." },
  },
  leaves:
    "You are no longer among the authors: once this is saved you cannot change the entry any more, nor see it while it is private.",
  save: "Save",
  add: (kind: string) => `Add ${kind.toLowerCase()}`,
  cancel: "Cancel",
  seeFields: "Not saved: see the fields above.",
  notSaved: (reason: string) => `Not saved. ${reason} What you wrote is still here.`,
} as const;

const keptAtForm = "What you wrote is still here. The form says how to go on.";

export const saveEntryMessages = {
  done: "Success",
  created: (kind: string) => `${kind} created successfully`,
  saved: (kind: string) => `${kind} saved successfully`,
  failure: "Error",
  notAdded: (kind: string) => `Failed to add ${kind.toLowerCase()}. ${keptAtForm}`,
  notSaved: (kind: string) => `Failed to save ${kind.toLowerCase()}. ${keptAtForm}`,
} as const;

export const descriptionFieldMessages = { preview: "Preview" } as const;

export const entryConflictMessages = {
  meanwhile:
    "Somebody else changed this entry meanwhile, so yours is not saved yet. What they changed elsewhere is in the form now.",
  disputed: "What you both changed stands here as you wrote it; they wrote:",
  saveAgain: "Look at it, and save again.",
  nothing: "(nothing)",
  take: "Take theirs",
  takeOf: (field: string) => `Take theirs: ${field}`,
} as const;
