import { count } from "@/lib/format";

export const datasetFilesMessages = {
  label: "Files",
  empty: "This folder is empty.",
  shown: (total: number, shown: number, more: boolean) =>
    `${more ? "More than " : ""}${count(total, "entry", "entries")}; ${count(shown, "is", "are")} shown.`,
  bytes: (size: number) => count(size, "byte", "bytes"),
  folder: "folder",
  noFile: "not a file",
  way: "Folder",
  root: "All files",
} as const;
