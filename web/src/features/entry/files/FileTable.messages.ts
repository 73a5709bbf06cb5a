import { count } from "@/lib/format";

export const fileTableMessages = {
  find: "Find in this folder",
  findAmong: (files: number) => `Find among ${count(files, "file", "files")}`,
  name: "Name",
  bytes: "Bytes",
  actions: "Actions",
  folder: "Folder ",
  submodule: "(a submodule: the files of another repository, which aren't shown here)",
  empty: "This folder is empty.",
  noMatch: "No files match.",
  some: (shown: string, found: number) => `${shown} of ${count(found, "entry", "entries")}`,
  all: (entries: number) => count(entries, "entry", "entries"),
  more: (files: string) => `Show ${files} more`,
  truncated: "The code host lists only part of this folder.",
  preview: "Preview",
  previewOf: (name: string) => `Preview ${name}`,
} as const;
