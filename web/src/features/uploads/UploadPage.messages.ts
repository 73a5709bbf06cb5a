import { count } from "@/lib/format";

export const uploadPageMessages = {
  subtitle: "Data, notebooks or code from your computer. This server keeps them.",
  files: "Files",
  next: "Continue",
  notYet: "First, all files have to be uploaded.",
  notRead: "The uploads couldn't be read.",
  damaged: "Some files arrived damaged and are being uploaded again. Continue when that's done.",
  damagedTitle: "Not added",
  kept: (reason: string) => `${reason} Your uploads are still here.`,
  what: "What it is",
  contents: (files: number, size: string) => `It has ${count(files, "file", "files")}, ${size}.`,
  list: "Show the files",
  filesMore: (files: number) => `and ${count(files, "more file", "more files")}`,
  secrets: "Is there a secret in these files?",
  secretsHelp:
    "Everyone who sees the entry can read it. Remove these files from the list above if you don't want that.",
  about: "About it",
  task: "Making the entry",
  added: "Added to the catalog",
  addedText: "Your files are on this server now.",
} as const;
