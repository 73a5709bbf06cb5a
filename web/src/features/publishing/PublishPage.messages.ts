import { count } from "@/lib/format";

export const publishPageMessages = {
  notSaved: (paths: number) => `Can't be published: ${count(paths, "path", "paths")}`,
  window: "Publish files",
  title: (session: string) => `Publish files of ${session}`,
  subtitle: "They become an entry of the catalog, or a new version of one. The session keeps its files.",
  absent: "You have no such session.",
  sessionFailed: "The session couldn't be loaded.",
  reading: "Looking at the session's files",
  failed: "The session's files couldn't be read.",
  toSessions: "Go to your sessions",
  toUpload: "Upload files",
  ofJob: "This session belongs to a job.",
  ofJobWhy: "The page of the job has its files.",
  toJob: "Open the job",
  notKept: "No files can be published straight from this session.",
  notKeptWhy:
    "Sessions of its kind keep no versions of their work. Download the work from your sessions, then upload what you want to publish.",
  nothing: "Nothing has been saved in this session yet.",
  nothingWhy: "Save a file in it, then look again.",
  none: "There are no files in this session.",
  look: "Look again",

  files: "Choose files",
  asOf: (when: string) => `As of ${when}`,
  sum: (files: number, size: string) => `${count(files, "file", "files")}, ${size}`,
  noneChosen: "No file is chosen",
  warned: (files: number) =>
    files === 1
      ? "One file may have a secret in it, such as a key or a token. It isn't chosen at first."
      : `${count(files, "file", "files")} may have secrets in them, such as keys or tokens. They aren't chosen at first.`,
  cut: (shown: number, all: number) =>
    `These are the first ${count(shown, "file", "files")} of ${count(all, "file", "files")}. Folders are published with everything in them if you choose all of what is shown.`,
  next: "Continue",
  chooseFirst: "Choose at least one file.",
  notRead: "The chosen files couldn't be read.",

  as: "What they become",
  how: "Publish them as",
  entry: "A new entry",
  entryHelp: "Private at first: only its authors see it, until one of them makes it public.",
  version: "A new version of one of your entries",
  versionHelp: "The entry then has these files and no others. Its earlier versions stay as they are.",
  about: "About the new entry",
  derived: "Made from others' work",
  derivedFrom: "The new entry will say that it's derived from {entries}, and credit their authors.",
  publish: "Publish",

  working: "Publishing",
  noneLeft: "No other file is chosen.",
  published: "Published",
  publishedText: "Only its authors see it so far.",
  versionPublished: (n: number | undefined) => (n === undefined ? "New version published" : `Version ${n} published`),
} as const;

/** What is said while files of a session are copied. */
export const publishingWords = {
  waiting: "Waiting to copy the files",
  working: "Copying the files",
  bar: "Progress of copying",
  kept: (reason: string) => `${reason} Nothing was published, and the session still has its files.`,
};
