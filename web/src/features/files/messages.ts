import { count } from "@/lib/format";

/** All words of the browser of a repository's files that people read, by component. */

export const fileBrowserMessages = {
  title: "Files",
  branch: "Branch ",
  openIn: (host: string) => `Open in ${host}`,
  label: (folder: string) => `Files in ${folder}`,
  root: "root",
} as const;

export const fileTableMessages = {
  find: "Find in this folder",
  findAmong: (files: number) => `Find among ${count(files, "file", "files")}`,
  name: "Name",
  bytes: "Bytes",
  actions: "Actions",
  folder: "Folder ",
  empty: "This folder is empty.",
  noMatch: "No file of this folder has such a name.",
  some: (shown: string, found: number) => `${shown} of ${count(found, "entry", "entries")}`,
  all: (entries: number) => count(entries, "entry", "entries"),
  more: (files: string) => `Show ${files} more`,
  truncated: "The code host does not tell all files of this folder.",
  preview: "Preview",
  previewOf: (name: string) => `Preview ${name}`,
} as const;

export const folderStatesMessages = {
  toRoot: "Go to the root",
  again: (message: string, time: string) => `${message} The files come back by themselves at ${time}.`,
  retryNow: "Retry now",
  failure: "The files cannot be shown.",
  someHost: "The code host",
  oldBefore: (host: string) => `${host} cannot be asked at the moment: as of `,
  oldAfter: ".",
  loading: "Loading the files",
} as const;

export const folderWayMessages = {
  back: "Back",
  noneBefore: "No folder was opened before.",
  label: "Folder",
  root: "root",
} as const;

export const previewMessages = {
  openInGitHub: "Open in GitHub",
  notebook: (name: string) => `Notebook ${name}`,
  loading: "Loading the file",
  failure: "The file cannot be shown.",
  facts: (lines: number, size: string, asOf: string | undefined) =>
    `${count(lines, "line", "lines")}, ${size}${asOf ? `, as of ${asOf}` : ""}`,
  text: "Text",
} as const;
